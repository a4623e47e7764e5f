// SPDX-License-Identifier: GPL-2.0-or-later
// Asynchronous events of verbs (enum ibv_event_type).
#include "core/diagnosis/terms/term.h"

namespace rd {
namespace {

constexpr const char* kOwner =
    "Only the process that owns the object: no other process can ever see it. From outside, look at the state of its "
    "queue pairs "
    "(rdma resource show qp).";
constexpr const char* kEveryone = "Every process that has the device open.";

Term event(int number, const char* name, const char* title, const char* means, const char* seen_by,
           std::vector<TermCause> causes, std::vector<std::string> todo, std::vector<std::string> facts = {},
           std::vector<std::string> aliases = {}) {
    Term term;
    term.kind = TermKind::event;
    term.number = number;
    term.name = name;
    term.title = title;
    term.means = means;
    term.seen_by = seen_by;
    term.causes = std::move(causes);
    term.todo = std::move(todo);
    term.facts = std::move(facts);
    term.aliases = std::move(aliases);
    return term;
}

std::vector<Term> objects() {
    return {
        event(
            0, "IBV_EVENT_CQ_ERR", "CQ error", "A completion queue overran or failed. All queue pairs on it will fail.",
            kOwner,
            {{"more requests under way than the queue has room for", "depth of the queue against all its queue pairs"},
             {"the process did not poll for too long", "its load; a thread that polls and was descheduled"}},
            {"The program must make the queue deeper or poll sooner; the connection has to be made anew.",
             "mlx5 logs `CQ error on CQN` in the kernel log."},
            {"pci.log_queue_error"}),
        event(
            1, "IBV_EVENT_QP_FATAL", "local work queue catastrophic error",
            "A queue pair went to state ERR because of a failure that no completion can tell.", kOwner,
            {{"a completion queue that overran", "an event CQ error just before"},
             {"firmware or driver", "the kernel log at that time"}},
            {"Look for the first error of this queue pair, here and at the peer. The connection has to be made anew."},
            {"port.qps_error"}, {"QP fatal error"}),
        event(2, "IBV_EVENT_QP_REQ_ERR", "invalid request local work queue error",
              "As responder, this queue pair got a request that it does not take. The peer sees a remote invalid "
              "request (9).",
              kOwner,
              {{"the peer sends more reads or atomics than were agreed", "responder_resources of the connection"},
               {"the programs do not agree about operations or lengths", "versions at both ends"}},
              {"Look at the peer: what it sent is the cause."}, {"port.qps_error"}, {"QP request error"}),
        event(3, "IBV_EVENT_QP_ACCESS_ERR", "local access violation work queue error",
              "As responder, this queue pair refused the peer access to memory. The peer sees a remote access error "
              "(10).",
              kOwner,
              {{"the peer uses a key of memory that was freed or registered anew", "order of teardown here"},
               {"the memory lacks the remote right that the peer uses", "access flags of the region here"}},
              {"Look for resp_remote_access_errors here and for the program that gave the key away."},
              {"port.resp_remote_access_errors"}, {"QP access error"}),
        event(4, "IBV_EVENT_COMM_EST", "communication established",
              "The first packet came in while the queue pair was not told yet that the connection stands.", kOwner, {},
              {"Nothing: it is normal."}),
        event(5, "IBV_EVENT_SQ_DRAINED", "send queue drained", "The send queue is empty after it was asked to drain.",
              kOwner, {}, {"Nothing: it is normal."}),
        event(6, "IBV_EVENT_PATH_MIG", "path migrated", "The connection moved to its alternate path.", kOwner,
              {{"the first path failed", "errors and state of its port"}},
              {"Find out why the first path failed, and load a new alternate path."}, {},
              {"path migration successful"}),
        event(7, "IBV_EVENT_PATH_MIG_ERR", "path migration request error",
              "The connection should have moved to its alternate path and could not.", kOwner,
              {{"the alternate path is down or was never valid", "state of that port; the program's path record"}},
              {"Expect retries to run out (12) on the first path next."}, {}, {"path migration error"}),
        event(14, "IBV_EVENT_SRQ_ERR", "SRQ catastrophic error",
              "A shared receive queue failed; nothing arrives in it any more.", kOwner,
              {{"firmware or driver", "the kernel log at that time"}},
              {"The program has to make queue and connections anew."}, {}, {"SRQ error"}),
        event(15, "IBV_EVENT_SRQ_LIMIT_REACHED", "SRQ limit reached",
              "Fewer receives are left in a shared receive queue than the limit that was armed.", kOwner,
              {{"receives are used up faster than they are posted", "out_of_buffer of the port"}},
              {"An early warning: post more receives and arm the limit again."}, {"port.out_of_buffer"}),
        event(16, "IBV_EVENT_QP_LAST_WQE_REACHED", "last WQE reached",
              "A queue pair in state ERR has taken its last receive out of the shared queue.", kOwner, {},
              {"Part of a normal teardown: the queue pair may be destroyed now."}),
        event(19, "IBV_EVENT_WQ_FATAL", "WQ fatal", "A work queue of a raw receive group failed.", kOwner,
              {{"firmware or driver", "the kernel log at that time"}}, {"The program has to make it anew."}),
    };
}

std::vector<Term> devices_and_ports() {
    return {
        event(8, "IBV_EVENT_DEVICE_FATAL", "local catastrophic error",
              "The device failed or is being taken away: firmware, PCIe, a reset, a driver that is unloaded. "
              "Everything opened "
              "on it is dead.",
              kEveryone,
              {{"firmware that crashed", "health messages of the driver in the kernel log; devlink health show"},
               {"a PCIe error, or a link that went down", "AER messages; link speed and width"},
               {"somebody reset the device or unloaded its driver",
                "who did: devlink dev reload, modprobe -r, hot-plug"}},
              {"Close the device and open it anew when it is back; it may have another name.",
               "Keep the kernel log: it has the reason."},
              {"host.functions_without_device", "pci.log_firmware_health", "pci.log_aer_uncorrected"},
              {"device fatal error"}),
        event(9, "IBV_EVENT_PORT_ACTIVE", "port active", "The link can be used.", kEveryone, {},
              {"If nobody switched it on: count how often the link goes down, by carrier changes."},
              {"netdev.carrier_changes", "port.state"}),
        event(
            10, "IBV_EVENT_PORT_ERR", "port error",
            "The link is down. Flaps are not counted by these events: ten flaps in a second gave one of them.",
            kEveryone,
            {{"cable, module or the port of the switch", "carrier changes, symbol and FEC errors, module temperature"},
             {"somebody took the interface down", "the log of the network manager"},
             {"InfiniBand: the subnet manager is gone or took the port down", "state INIT; sminfo"}},
            {"Look at carrier changes and physical counters of this port, then at the other end of the cable.",
             "In a bond, the loss of one member gives no such event: look at the members."},
            {"netdev.carrier_changes", "netdev.link_down_events_phy", "port.phys_state", "port.link_downed"}),
        event(11, "IBV_EVENT_LID_CHANGE", "LID change", "The subnet manager gave the port another LID.", kEveryone,
              {{"the subnet manager restarted or changed", "its log"}},
              {"Connections made before use the old LID and run out of retries (12)."}, {"port.lid"}),
        event(12, "IBV_EVENT_PKEY_CHANGE", "P_Key change", "The table of partition keys changed.", kEveryone,
              {{"partitions were configured anew", "the subnet manager's configuration"}},
              {"Programs that keep an index into the table must look it up again."}, {}, {"P_key change"}),
        event(13, "IBV_EVENT_SM_CHANGE", "SM change", "Another subnet manager took over. mlx5 and mlx4 never tell it.",
              kEveryone, {{"fail-over between subnet managers", "their logs"}},
              {"Nothing, if there is only one afterwards."}),
        event(17, "IBV_EVENT_CLIENT_REREGISTER", "client reregistration",
              "The subnet manager asks everybody to subscribe again: it restarted.", kEveryone,
              {{"the subnet manager restarted or changed", "its log"}},
              {"IPoIB and others subscribe by themselves; multicast is missing until then."}, {},
              {"client reregister"}),
        event(18, "IBV_EVENT_GID_CHANGE", "GID table change",
              "An entry of the GID table was written. One address that changes gives several, a bond that fails over "
              "or a boot "
              "gives tens.",
              kEveryone,
              {{"an address was added or removed, or an interface, VLAN or bond changed",
                "ip monitor address; the log of the "
                "network manager"},
               {"the link came back, and addresses with it", "carrier changes"}},
              {"Programs that keep a GID index may use a wrong one now. Compare the table with what they were started "
               "with."},
              {"port.gids", "port.gids_routable", "netdev.carrier_changes"}, {"GID changed"}),
    };
}

}  // namespace

const std::vector<Term>& event_terms() {
    static const std::vector<Term> terms = [] {
        std::vector<Term> all = objects();
        for (Term& term : devices_and_ports()) all.push_back(std::move(term));
        return all;
    }();
    return terms;
}

}  // namespace rd
