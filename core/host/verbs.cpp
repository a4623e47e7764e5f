// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/verbs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <iterator>
#include <memory>
#include <vector>

namespace rd {
namespace {

struct FreeList {
    void operator()(ibv_device** list) const { ibv_free_device_list(list); }
};

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

// Looked at first, because asking libibverbs makes the kernel load ib_uverbs where it may, and reading must not change
// the host. Without a sysfs there is nothing to look at.
Result<> check_present(const std::string& device, std::string_view object) {
    if (!exists("/sys/class")) return {};
    if (!exists("/sys/class/infiniband/" + device)) {
        return fail(Errc::not_found, std::string(object) + ": no RDMA device of this name");
    }
    if (!exists("/sys/class/infiniband_verbs")) {
        return fail(Errc::not_supported, std::string(object) + ": ib_uverbs is not loaded", "modprobe ib_uverbs");
    }
    return {};
}

Result<ibv_port_attr> query_port(ibv_context* context, std::uint32_t port, std::string_view object) {
    ibv_port_attr attributes{};
    if (const int errnum = ibv_query_port(context, static_cast<std::uint8_t>(port), &attributes); errnum != 0) {
        return tl::unexpected(error_from_errno(errnum, fmt::format("{}: port {}", object, port)));
    }
    return attributes;
}

Result<ibv_device_attr_ex> query_device(ibv_context* context, std::string_view object) {
    ibv_device_attr_ex attributes{};
    if (const int errnum = ibv_query_device_ex(context, nullptr, &attributes); errnum != 0) {
        return tl::unexpected(error_from_errno(errnum, object));
    }
    return attributes;
}

std::string link_layer_name(std::uint8_t layer) {
    switch (layer) {
        case IBV_LINK_LAYER_INFINIBAND:
            return "InfiniBand";
        case IBV_LINK_LAYER_ETHERNET:
            return "Ethernet";
        case IBV_LINK_LAYER_UNSPECIFIED:
            return "unspecified";
        default:
            return std::to_string(layer);
    }
}

std::string atomic_name(ibv_atomic_cap capability) {
    switch (capability) {
        case IBV_ATOMIC_NONE:
            return "none";
        case IBV_ATOMIC_HCA:
            return "hca";
        case IBV_ATOMIC_GLOB:
            return "glob";
    }
    return std::to_string(static_cast<int>(capability));
}

std::string gid_type_name(std::uint32_t type) {
    switch (type) {
        case IBV_GID_TYPE_IB:
            return "IB";
        case IBV_GID_TYPE_ROCE_V1:
            return "RoCEv1";
        case IBV_GID_TYPE_ROCE_V2:
            return "RoCEv2";
        default:
            return std::to_string(type);
    }
}

// Mbit/s a lane; 0 when the code is not known.
std::uint64_t lane_speed(std::uint32_t code) {
    switch (code) {
        case 1:
            return 2'500;
        case 2:
            return 5'000;
        case 4:  // QDR
        case 8:  // FDR10
            return 10'000;
        case 16:
            return 14'000;
        case 32:
            return 25'000;
        case 64:
            return 50'000;
        case 128:
            return 100'000;
        default:
            return 0;
    }
}

std::uint64_t lane_count(std::uint32_t code) {
    switch (code) {
        case 1:
            return 1;
        case 2:
            return 4;
        case 4:
            return 8;
        case 8:
            return 12;
        case 16:
            return 2;
        default:
            return 0;
    }
}

void set_mtu(Record& record, std::string_view key, ibv_mtu mtu) {
    if (mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096) record.set(key, std::uint64_t{128} << static_cast<unsigned>(mtu));
}

}  // namespace

Result<VerbsContext> open_verbs_context(const std::string& device, std::string_view object) {
    if (auto present = check_present(device, object); !present) return tl::unexpected(std::move(present.error()));
    int count = 0;
    const std::unique_ptr<ibv_device*[], FreeList> list(ibv_get_device_list(&count));
    if (!list) return tl::unexpected(error_from_errno(errno, object));
    for (int i = 0; i < count; ++i) {
        if (device != ibv_get_device_name(list[static_cast<std::size_t>(i)])) continue;
        errno = 0;
        VerbsContext context(ibv_open_device(list[static_cast<std::size_t>(i)]));
        if (!context) return tl::unexpected(error_from_errno(errno ? errno : EIO, object));
        return context;
    }
    return fail(Errc::not_supported, std::string(object) + ": the kernel has the device, libibverbs does not know it",
                "install the user-space driver (package ibverbs-providers)");
}

Record verbs_device_record(const ibv_device_attr_ex& attributes) {
    const ibv_device_attr& device = attributes.orig_attr;
    const auto number = [](int value) { return static_cast<std::uint64_t>(value < 0 ? 0 : value); };
    Record record;
    const std::string_view firmware(device.fw_ver, ::strnlen(device.fw_ver, sizeof(device.fw_ver)));
    if (!firmware.empty()) record.set("fw", firmware);
    record.set("max_qp", number(device.max_qp));
    record.set("max_cq", number(device.max_cq));
    record.set("max_mr", number(device.max_mr));
    record.set("max_mr_size", std::uint64_t{device.max_mr_size});
    record.set("max_qp_wr", number(device.max_qp_wr));
    record.set("max_sge", number(device.max_sge));
    record.set("max_qp_rd_atom", number(device.max_qp_rd_atom));
    record.set("atomic", atomic_name(device.atomic_cap));
    record.set("odp", std::uint64_t{(attributes.odp_caps.general_caps & IBV_ODP_SUPPORT) != 0});
    record.set("phys_port_cnt", std::uint64_t{device.phys_port_cnt});
    return record;
}

Record verbs_port_record(std::uint32_t port, const ibv_port_attr& attributes) {
    Record record;
    record.set("port", port);
    record.set("state", static_cast<std::uint64_t>(attributes.state));
    set_mtu(record, "active_mtu", attributes.active_mtu);
    set_mtu(record, "max_mtu", attributes.max_mtu);
    record.set("link_layer", link_layer_name(attributes.link_layer));
    if (const auto speed = lane_speed(attributes.active_speed)) record.set("active_speed", speed);
    if (const auto width = lane_count(attributes.active_width)) record.set("active_width", width);
    record.set("lid", attributes.lid);
    record.set("gid_tbl_len", static_cast<std::uint64_t>(attributes.gid_tbl_len < 0 ? 0 : attributes.gid_tbl_len));
    return record;
}

Record verbs_gid_record(const ibv_gid_entry& entry) {
    Record record;
    record.set("port", entry.port_num);
    record.set("index", entry.gid_index);
    std::string gid;
    for (std::size_t i = 0; i < sizeof(entry.gid.raw); i += 2) {
        fmt::format_to(std::back_inserter(gid), "{}{:02x}{:02x}", i ? ":" : "", entry.gid.raw[i], entry.gid.raw[i + 1]);
    }
    record.set("gid", gid);
    record.set("type", gid_type_name(entry.gid_type));
    if (entry.ndev_ifindex != 0) record.set("ifindex", entry.ndev_ifindex);
    return record;
}

Result<std::string> read_verbs_device(const std::string& device, std::string_view object) {
    const auto context = open_verbs_context(device, object);
    if (!context) return tl::unexpected(context.error());
    const auto attributes = query_device(context->get(), object);
    if (!attributes) return tl::unexpected(attributes.error());
    std::string text = verbs_device_record(*attributes).text();
    for (std::uint32_t port = 1; port <= attributes->orig_attr.phys_port_cnt; ++port) {
        const auto port_attributes = query_port(context->get(), port, object);
        if (!port_attributes) return tl::unexpected(port_attributes.error());
        text += verbs_port_record(port, *port_attributes).text();
    }
    return text;
}

Result<std::string> read_verbs_gids(const std::string& device, std::string_view object) {
    const auto context = open_verbs_context(device, object);
    if (!context) return tl::unexpected(context.error());
    const auto attributes = query_device(context->get(), object);
    if (!attributes) return tl::unexpected(attributes.error());
    std::size_t room = 0;
    for (std::uint32_t port = 1; port <= attributes->orig_attr.phys_port_cnt; ++port) {
        const auto port_attributes = query_port(context->get(), port, object);
        if (!port_attributes) return tl::unexpected(port_attributes.error());
        if (port_attributes->gid_tbl_len > 0) room += static_cast<std::size_t>(port_attributes->gid_tbl_len);
    }
    std::vector<ibv_gid_entry> entries(room);
    if (room == 0) return std::string();
    const ssize_t count = ibv_query_gid_table(context->get(), entries.data(), entries.size(), 0);
    if (count < 0) return tl::unexpected(error_from_errno(static_cast<int>(-count), object));
    entries.resize(static_cast<std::size_t>(count));
    std::string text;
    for (const ibv_gid_entry& entry : entries) text += verbs_gid_record(entry).text();
    return text;
}

}  // namespace rd
