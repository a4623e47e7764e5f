// SPDX-License-Identifier: GPL-2.0-or-later
// errno values as RDMA calls give them. Titles are those of the C library.
#include <cerrno>

#include "core/diagnosis/terms/term.h"

namespace rd {
namespace {

using Calls = std::vector<std::string>;

// By the calls that make an object of the device.
const Calls kRegister{"ibv_reg_mr", "ibv_reg_dmabuf_mr", "rdma_reg_"};
const Calls kCreateQp{"ibv_create_qp", "rdma_create_qp", "rdma_create_ep", "ibv_create_srq"};
const Calls kCreateCq{"ibv_create_cq"};
const Calls kOpen{"ibv_open_device", "rdma_create_id", "rdma_create_event_channel"};
const Calls kModify{"ibv_modify_qp"};
const Calls kAddress{"rdma_resolve_addr", "rdma_bind_addr", "rdma_getaddrinfo", "rdma_create_ep"};
const Calls kConnect{"rdma_connect", "rdma_resolve_route", "rdma_get_cm_event"};
const Calls kPost{"ibv_post_"};
const Calls kCreate{"ibv_create_",     "rdma_create_qp", "rdma_create_ep", "ibv_alloc_pd",
                    "ibv_open_device", "ibv_reg_",       "rdma_reg_"};

Term value(int number, const char* name, const char* title, const char* means, std::vector<TermCause> causes,
           std::vector<std::string> todo, std::vector<std::string> facts = {}) {
    Term term;
    term.kind = TermKind::errno_value;
    term.number = number;
    term.name = name;
    term.title = title;
    term.means = means;
    term.seen_by = "The process that made the call, on this host.";
    term.causes = std::move(causes);
    term.todo = std::move(todo);
    term.facts = std::move(facts);
    return term;
}

Term no_memory() {
    return value(
        ENOMEM, "ENOMEM", "Cannot allocate memory",
        "Something that is limited ran out; seldom the memory of the host. Which limit it was, the number does not "
        "say.",
        {{"the limit of locked memory of the process, where it has no CAP_IPC_LOCK in the first user namespace",
          "\"Max locked memory\" in /proc/PID/limits. A registration that failed pins nothing, so VmPin proves nothing",
          {"ibv_reg_", "rdma_reg_", "ibv_create_", "rdma_create_qp", "rdma_create_ep"}},
         {"the limit of a container or a service that started the process",
          "the same file, seen inside; `ulimit -l` in a login shell shows another one",
          {"ibv_reg_", "rdma_reg_", "ibv_create_", "rdma_create_qp", "rdma_create_ep"}},
         {"the adapter has no queue pair left, or the driver allows no more",
          "rdma resource against max_qp (ibv_devinfo -v); CREATE_QP \"limits exceeded\" in the kernel log", kCreateQp},
         {"the adapter has no memory region left", "rdma resource (mr) against max_mr", kRegister},
         {"completion queues or doorbell pages ran out, or the ring found no contiguous memory",
          "rdma resource (cq) against max_cq; CREATE_CQ in the kernel log", kCreateCq},
         {"the memory limit of the control group",
          "memory.max and memory.events of the group; oom lines in the kernel log"},
         {"no huge page is left of the pool that the buffers come from", "free_hugepages of the node of the adapter",
          kRegister},
         {"too many mappings: fork protection splits them at each registration",
          "lines in /proc/PID/maps against vm.max_map_count; copy-on-fork in `rdma system show`", kRegister},
         {"the IOMMU has no addresses left for the mapping", "swiotlb or IOMMU messages in the kernel log", kRegister},
         {"the send or receive queue is full: more requests under way than it was made for",
          "completions not polled, or too few requests signalled; max_send_wr", kPost},
         {"the host is really out of memory", "MemAvailable in /proc/meminfo; oom lines in the kernel log"}},
        {"First the limit of locked memory of that very process, then the counts against the device's maxima, then the "
         "kernel log.",
         "A limit of RDMA objects set by a control group gives EAGAIN instead."},
        {"process.memlock_limit", "process.memlock_limited", "process.ipc_lock", "device.max_qp", "device.max_cq",
         "device.max_mr", "pci.log_command_refused"});
}

Term again() {
    return value(
        EAGAIN, "EAGAIN", "Resource temporarily unavailable",
        "From a call that makes an object: a limit that somebody set for the control group. From a call that fetches "
        "something: "
        "nothing is there yet.",
        {{"the control group may have no more handles or objects of this device",
          "rdma.current against rdma.max of the group of the process (/proc/PID/cgroup)", kCreate},
         {"no event or completion is waiting, and the descriptor does not block",
          "normal: wait with poll() and ask again",
          {"ibv_get_async_event", "ibv_get_cq_event", "rdma_get_cm_event"}},
         {"the limit of processes or threads", "ulimit -u; pids.max of the control group", {"pthread_create", "fork"}}},
        {"Compare rdma.max with rdma.current; `echo \"DEVICE hca_handle=max hca_object=max\" > rdma.max` lifts it."},
        {"process.rdma_limited", "process.rdma_handles_used", "process.rdma_handles_max"});
}

std::vector<Term> rights() {
    return {
        value(EPERM, "EPERM", "Operation not permitted", "The caller lacks a right that no file mode gives.",
              {{"the limit of locked memory is 0, and CAP_IPC_LOCK is missing",
                "\"Max locked memory\" in /proc/PID/limits", kRegister},
               {"the control group forbids the device node", "device rules of the container or service (DeviceAllow)",
                kOpen},
               {"a queue pair for raw packets, or a privileged Q_Key, without CAP_NET_RAW",
                "CapEff in /proc/PID/status",
                {"ibv_create_qp", "ibv_modify_qp", "rdma_create_qp"}},
               {"a change of settings without CAP_NET_ADMIN in the first user namespace",
                "CapEff; a privileged container in a user namespace of its own still lacks it"}},
              {"Look at limits, capabilities and device rules of that very process, not of a login shell."},
              {"process.ipc_lock", "process.memlock_limit"}),
        value(EACCES, "EACCES", "Permission denied", "The mode or owner of a file says no.",
              {{"the device node is not open to this user",
                "ls -l /dev/infiniband: uverbs* and rdma_cm are 0666 by default; umad* "
                "stay root's on purpose",
                kOpen},
               {"SELinux or AppArmor", "denials in the kernel log or the audit log"},
               {"an address or port that this user may not bind", "ports below 1024", {"rdma_bind_addr"}}},
              {"A udev rule with MODE=\"0666\" for uverbs* (rdma-core has one), or the group of the node."},
              {"device.uverbs_mode", "device.uverbs_root_only"}),
    };
}

std::vector<Term> devices() {
    return {
        value(
            ENODEV, "ENODEV", "No such device", "There is no RDMA device, or no GID, behind what was named.",
            {{"the GID index is empty, out of range, or of another network namespace",
              "the GID table as seen by the process: /sys/class/infiniband/DEV/ports/N/gids inside its container",
              kModify},
             {"a RoCE connection without a global route header", "is_global of the address handle", kModify},
             {"the address lies on an interface that has no RDMA device: a bridge, veth, or another adapter",
              "ip route get ADDRESS; `rdma link` names the interfaces that have one", kAddress},
             {"the RDMA device is in another network namespace (exclusive mode)",
              "`rdma system show`, `rdma dev` there",
              {"ibv_open_device", "rdma_resolve_addr", "rdma_bind_addr", "rdma_create_ep"}},
             {"the device was reset or unplugged meanwhile", "the kernel log at that time"}},
            {"Print the GID table inside the container or namespace of the process, and choose a RoCE v2 entry with an "
             "address that is routed."},
            {"host.functions_without_device", "host.rdma_netns", "port.gids_here"}),
        value(ENOENT, "ENOENT", "No such file or directory", "A file or object is missing that should be there.",
              {{"no uverbs node: module ib_uverbs is not loaded, or the container was not given /dev/infiniband",
                "ls /dev/infiniband; lsmod", kOpen},
               {"the library of the adapter's provider is missing: warnings about libibverbs drivers",
                "packages ibverbs-providers or rdma-core; harmless when the device opens all the same", kOpen}},
              {"modprobe ib_uverbs rdma_ucm, or hand /dev/infiniband to the container."},
              {"host.rdma_core", "host.module_ib_uverbs", "device.uverbs_node"}),
        value(
            EIO, "EIO", "Input/output error", "The device is gone or does not answer.",
            {{"after a device fatal event every call on the old handle ends so", "the kernel log; close and open anew"},
             {"a firmware command failed", "driver messages with status and syndrome in the kernel log"}},
            {"Look for a device fatal event and health messages of the driver."},
            {"host.functions_without_device", "pci.log_firmware_health", "pci.log_command_timeout"}),
        value(EBUSY, "EBUSY", "Device or resource busy", "Something still uses it.",
              {{"objects that depend on it are still there: queue pairs on a completion queue, regions in a domain",
                "`rdma resource show` of the process",
                {"ibv_de", "rdma_destroy_"}},
               {"the mode of network namespaces changes only while there is one namespace",
                "lsns -t net",
                {"rdma system set"}}},
              {"Destroy in the opposite order of creation."}, {"device.qps", "device.pds"}),
        value(EOPNOTSUPP, "EOPNOTSUPP", "Operation not supported", "Adapter, driver or library does not offer this.",
              {{"an operation of queue pairs that the provider lacks",
                "ibv_devinfo -v; version of rdma-core",
                {"ibv_create_", "ibv_wr_"}},
               {"registration on demand, memory windows or dma-buf on a device without them", "device capabilities",
                kRegister},
               {"DCB or ethtool settings of a VF or a virtual interface", "the physical function"}},
              {"Compare the capabilities of the device with what the program asks for."}),
    };
}

std::vector<Term> arguments() {
    return {
        value(EINVAL, "EINVAL", "Invalid argument", "Kernel, driver or firmware refused what was asked for.",
              {{"more entries, inline data or depth than the device has", "max_sge, max_qp_wr, max_inline_data",
                kCreateQp},
               {"state and attributes do not fit: wrong order of INIT, RTR, RTS, or an MTU above the active one",
                "the program's calls; active_mtu", kModify},
               {"an InfiniBand and a RoCE adapter that are mixed up in one connection", "link_layer of both ends",
                kModify},
               {"remote write without local write, or a length that overflows", "access flags", kRegister},
               {"memory of huge pages with fork protection, and RDMAV_HUGEPAGES_SAFE not set",
                "copy-on-fork in `rdma system show`", kRegister},
               {"dma-buf of memory that cannot be exported", "how the GPU memory was allocated", {"ibv_reg_dmabuf_mr"}},
               {"too many scatter entries or too much inline data in a request", "limits given at creation", kPost}},
              {"The kernel log of the driver often says which argument; then the limits of the device."},
              {"port.active_mtu"}),
        value(EFAULT, "EFAULT", "Bad address", "The memory is not there, or the kernel cannot pin it.",
              {{"GPU memory without a way to it: no peer memory module, and no dma-buf",
                "lsmod for nvidia_peermem or the like; ibv_reg_dmabuf_mr", kRegister},
               {"large GPU buffers fail and small ones work: the window of the GPU is too small",
                "BAR1 size of the GPU", kRegister},
               {"memory that was unmapped, or is read-only and shall be written", "/proc/PID/maps", kRegister}},
              {"Try the same with ordinary memory: if that works, it is the way to the GPU's memory."},
              {"host.module_peermem", "host.peermem_wanted"}),
    };
}

std::vector<Term> network() {
    return {
        value(ETIMEDOUT, "ETIMEDOUT", "Connection timed out",
              "Nobody answered in time. It is evidence about the peer or the way to it.",
              {{"the hardware address of the peer could not be found: wrong GID, other network, no neighbour",
                "ip neigh; the GID index in use: fe80:: reaches only the same network", kModify},
               {"the peer's address does not answer", "ip neigh; ping from the same interface", kAddress},
               {"requests for a connection got no reply: peer down, UDP 4791 filtered, backlog of the peer full",
                "cm_tx_retries of the port; what listens at the peer (`rdma resource show cm_id`)", kConnect},
               {"a firmware command did not come back", "driver messages in the kernel log"}},
              {"Test the same pair of addresses with rping or ib_write_bw, then look at the peer."},
              {"port.cm_tx_req_retries", "port.gids_link_local", "pci.log_command_timeout"}),
        value(ECONNREFUSED, "ECONNREFUSED", "Connection refused",
              "The peer answered, and said no. It is evidence about the peer.",
              {{"nothing listens at that address and port through rdma_cm (reject reason 8, invalid service ID)",
                "`rdma resource show cm_id` at the peer: state LISTEN with this address", kConnect},
               {"the program at the peer refused (reject reason 28): versions, limits, access lists",
                "its log; the private data of the reject", kConnect},
               {"the peer listens for TCP only, or on another of its interfaces", "its configuration", kConnect}},
              {"Look at the peer. NVMe over RDMA shows the same as -104 (ECONNRESET)."}, {"port.cm_rx_rej"}),
        value(ECONNRESET, "ECONNRESET", "Connection reset by peer", "The peer ended the connection, or refused it.",
              {{"the peer rejected the connection (NVMe over RDMA tells every reject so)",
                "the line before it has the reason"},
               {"the peer's process ended or closed", "its log at that time"},
               {"keep-alive ran out at the peer", "its log; loss on the way"}},
              {"Look at the peer's log just before."}, {"port.cm_rx_rej", "host.log_nvme_refused"}),
        value(EHOSTUNREACH, "EHOSTUNREACH", "No route to host", "The neighbour does not answer, or a filter says so.",
              {{"no answer to ARP or neighbour discovery", "ip neigh: FAILED; VLAN and cabling of this interface"},
               {"a firewall that rejects", "rules of both ends"},
               {"several interfaces in one network answer for each other", "arp_ignore, arp_announce, rp_filter"}},
              {"ip route get ADDRESS from SOURCE, then ping -I INTERFACE."}),
        value(ENETUNREACH, "ENETUNREACH", "Network is unreachable", "There is no route to that network.",
              {{"no route, or none out of the interface that was chosen", "ip route get ADDRESS from SOURCE"},
               {"the source address went away with its interface", "ip address"}},
              {"Add the route, or choose the interface that has it."}),
        value(EADDRNOTAVAIL, "EADDRNOTAVAIL", "Cannot assign requested address", "The address is not one of this host.",
              {{"the address is of another interface, host or namespace", "ip address, inside the container"},
               {"the address exists, and is still tentative", "ip address: tentative, dadfailed"}},
              {"Bind to an address of the interface behind the RDMA device."}),
        value(EADDRINUSE, "EADDRINUSE", "Address already in use", "Somebody listens there already.",
              {{"another process, or the old one that has not ended", "`rdma resource show cm_id`"}},
              {"Stop the other one, or choose another port."}),
    };
}

}  // namespace

const std::vector<Term>& errno_terms() {
    static const std::vector<Term> terms = [] {
        std::vector<Term> all{no_memory(), again()};
        for (auto* const make : {rights, devices, arguments, network}) {
            for (Term& term : make()) all.push_back(std::move(term));
        }
        return all;
    }();
    return terms;
}

}  // namespace rd
