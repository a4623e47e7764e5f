// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/rdma_decode.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>

namespace rd {
namespace {

using namespace nldev;

template <std::size_t N>
std::string name_or_number(const std::array<std::string_view, N>& names, std::uint64_t value) {
    return value < N && !names[value].empty() ? std::string(names[value]) : std::to_string(value);
}

constexpr std::array<std::string_view, 8> kNodeTypes{"",     "ca",    "switch",    "router",
                                                     "rnic", "usnic", "usnic_udp", "unspecified"};
constexpr std::array<std::string_view, 11> kQpTypes{
    "SMI", "GSI", "RC", "UC", "UD", "RAW_IPV6", "RAW_ETHERTYPE", "", "RAW_PACKET", "XRC_INI", "XRC_TGT"};
constexpr std::uint8_t kQpTypeDriver = 0xff;
constexpr std::array<std::string_view, 7> kQpStates{"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"};
constexpr std::array<std::string_view, 3> kPathMigStates{"MIGRATED", "REARM", "ARMED"};
constexpr std::array<std::string_view, 11> kCmStates{"IDLE",           "ADDR_QUERY",     "ADDR_RESOLVED", "ROUTE_QUERY",
                                                     "ROUTE_RESOLVED", "CONNECT",        "DISCONNECT",    "ADDR_BOUND",
                                                     "LISTEN",         "DEVICE_REMOVAL", "DESTROYING"};

std::string qp_type_name(std::uint8_t type) {
    return type == kQpTypeDriver ? "DRIVER" : name_or_number(kQpTypes, type);
}

std::string port_space_name(std::uint32_t space) {
    switch (space) {
        case 0x0002:
            return "IPoIB";
        case 0x0106:
            return "TCP";
        case 0x0111:
            return "UDP";
        case 0x013f:
            return "IB";
        default:
            return fmt::format("{:#x}", space);
    }
}

// As sysfs writes it: four groups of the number, most significant first.
std::string guid_text(std::uint64_t guid) {
    return fmt::format("{:04x}:{:04x}:{:04x}:{:04x}", guid >> 48, (guid >> 32) & 0xffff, (guid >> 16) & 0xffff,
                       guid & 0xffff);
}

Result<Record> checked(const Attributes& in, std::string_view object, Record record) {
    if (auto sound = in.sound(object); !sound) return tl::unexpected(std::move(sound.error()));
    return record;
}

}  // namespace

Result<RdmaDevice> decode_rdma_identity(Bytes attributes) {
    RdmaDevice device;
    Attributes in(attributes);
    while (in.next()) {
        if (in.type() == kDevIndex) device.index = in.number<std::uint32_t>();
        if (in.type() == kDevName) device.name = in.text();
        if (in.type() == kPortIndex) device.ports = in.number<std::uint32_t>();
    }
    if (auto sound = in.sound("RDMA device"); !sound) return tl::unexpected(std::move(sound.error()));
    return device;
}

Result<Record> decode_rdma_device(Bytes attributes) {
    Record record;
    Attributes in(attributes);
    while (in.next()) {
        switch (in.type()) {
            case kDevIndex:
                record.set("index", in.number<std::uint32_t>());
                break;
            case kDevName:
                record.set("name", in.text());
                break;
            case kPortIndex:  // in this message: the number of ports
                record.set("ports", in.number<std::uint32_t>());
                break;
            case kFwVersion:
                record.set("fw", in.text());
                break;
            case kNodeGuid:
                record.set("node_guid", guid_text(in.number<std::uint64_t>()));
                break;
            case kSysImageGuid:
                record.set("sys_image_guid", guid_text(in.number<std::uint64_t>()));
                break;
            case kDevNodeType:
                record.set("node_type", name_or_number(kNodeTypes, in.number<std::uint8_t>()));
                break;
            case kDevProtocol:
                record.set("protocol", in.text());
                break;
            case kDevDim:
                record.set("dim", in.number<std::uint8_t>());
                break;
            default:
                break;
        }
    }
    return checked(in, "RDMA device", std::move(record));
}

Result<Record> decode_rdma_port(Bytes attributes) {
    Record record;
    Attributes in(attributes);
    while (in.next()) {
        switch (in.type()) {
            case kPortState:
                record.set("state", in.number<std::uint8_t>());
                break;
            case kPortPhysState:
                record.set("phys_state", in.number<std::uint8_t>());
                break;
            case kLid:
                record.set("lid", in.number<std::uint32_t>());
                break;
            case kSmLid:
                record.set("sm_lid", in.number<std::uint32_t>());
                break;
            case kLmc:
                record.set("lmc", in.number<std::uint8_t>());
                break;
            case kCapFlags:
                record.set("cap_flags", fmt::format("{:#x}", in.number<std::uint64_t>()));
                break;
            case kNdevName:
                record.set("netdev", in.text());
                break;
            case kNdevIndex:
                record.set("ifindex", in.number<std::uint32_t>());
                break;
            default:
                break;
        }
    }
    return checked(in, "RDMA port", std::move(record));
}

Result<Record> decode_rdma_resources(Bytes attributes) {
    Record record;
    Attributes in(attributes);
    while (in.next()) {
        if (in.type() != kResSummary) continue;
        Attributes summary = in.nested();
        while (summary.next()) {
            if (summary.type() != kResSummaryEntry) continue;
            std::string_view name;
            std::uint64_t count = 0;
            Attributes entry = summary.nested();
            while (entry.next()) {
                if (entry.type() == kResSummaryEntryName) name = entry.text();
                if (entry.type() == kResSummaryEntryCurr) count = entry.number<std::uint64_t>();
            }
            summary.absorb(entry);
            if (!name.empty()) record.set(name, count);
        }
        in.absorb(summary);
    }
    return checked(in, "RDMA resources", std::move(record));
}

namespace {

void add_counters(Attributes& in, Record& record) {
    Attributes counters = in.nested();
    while (counters.next()) {
        if (counters.type() != kStatHwcounterEntry) continue;
        std::string_view name;
        std::uint64_t value = 0;
        Attributes entry = counters.nested();
        while (entry.next()) {
            if (entry.type() == kStatHwcounterEntryName) name = entry.text();
            if (entry.type() == kStatHwcounterEntryValue) value = entry.number<std::uint64_t>();
        }
        counters.absorb(entry);
        if (!name.empty()) record.set(name, value);
    }
    in.absorb(counters);
}

}  // namespace

Result<Record> decode_rdma_statistics(Bytes attributes) {
    Record record;
    Attributes in(attributes);
    while (in.next()) {
        if (in.type() == kStatHwcounters) add_counters(in, record);
    }
    return checked(in, "RDMA statistics", std::move(record));
}

Result<Record> decode_rdma_system(Bytes attributes) {
    constexpr std::array<std::string_view, 2> kModes{"exclusive", "shared"};
    Record record;
    Attributes in(attributes);
    while (in.next()) {
        switch (in.type()) {
            case kSysNetnsMode:
                record.set("netns", name_or_number(kModes, in.number<std::uint8_t>()));
                break;
            case kSysCopyOnFork:
                record.set("copy_on_fork", in.number<std::uint8_t>());
                break;
            case kSysMonitorMode:
                record.set("monitor", in.number<std::uint8_t>());
                break;
            case kSysPrivilegedQkey:
                record.set("qkey", in.number<std::uint8_t>());
                break;
            default:
                break;
        }
    }
    return checked(in, "RDMA system", std::move(record));
}

std::string socket_address_text(Bytes address) {
    const auto family = value_at<sa_family_t>(address);
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (family == sa_family_t{AF_INET}) {
        const auto in = value_at<sockaddr_in>(address);
        if (!in || !::inet_ntop(AF_INET, &in->sin_addr, text.data(), text.size())) return {};
        return fmt::format("{}:{}", text.data(), ntohs(in->sin_port));
    }
    if (family == sa_family_t{AF_INET6}) {
        const auto in = value_at<sockaddr_in6>(address);
        if (!in || !::inet_ntop(AF_INET6, &in->sin6_addr, text.data(), text.size())) return {};
        return fmt::format("[{}]:{}", text.data(), ntohs(in->sin6_port));
    }
    if (family == sa_family_t{AF_IB}) {
        // struct sockaddr_ib: family, pkey, flow information, then the GID. It has a service id instead of a port.
        const auto gid = value_at<in6_addr>(address, 8);
        if (!gid || !::inet_ntop(AF_INET6, &*gid, text.data(), text.size())) return {};
        return fmt::format("[{}]", text.data());
    }
    return {};
}

namespace {

struct TableAttributes {
    std::uint16_t table;
    std::uint16_t entry;
};

TableAttributes attributes_of(RdmaTable table) {
    switch (table) {
        case RdmaTable::qp:
            return {kResQp, kResQpEntry};
        case RdmaTable::cm_id:
            return {kResCmId, kResCmIdEntry};
        case RdmaTable::ctx:
            return {kResCtx, kResCtxEntry};
        case RdmaTable::cq:
            return {kResCq, kResCqEntry};
        case RdmaTable::mr:
        case RdmaTable::mr_stat:
            break;
    }
    return {kResMr, kResMrEntry};
}

}  // namespace

Result<> RdmaTableText::add(Bytes attributes) {
    const auto [table, entry] = attributes_of(table_);
    Attributes in(attributes);
    while (in.next()) {
        if (in.type() != table) continue;
        Attributes entries = in.nested();
        while (entries.next()) {
            if (entries.type() == entry) add_entry(entries);
        }
        in.absorb(entries);
    }
    return in.sound("RDMA resource table");
}

void RdmaTableText::add_entry(Attributes& attributes) {
    Record record;
    Key key{0, 0};  // port and number: every port has a GSI queue pair with the number 1
    Attributes in = attributes.nested();
    while (in.next()) {
        switch (in.type()) {
            case kPortIndex: {
                const auto port = in.number<std::uint32_t>();
                if (table_ == RdmaTable::qp) key.first = port;
                record.set("port", port);
                break;
            }
            case kResLqpn: {
                const auto number = in.number<std::uint32_t>();
                if (table_ == RdmaTable::qp) key.second = number;
                record.set("lqpn", number);
                break;
            }
            case kResRqpn:
                record.set("rqpn", in.number<std::uint32_t>());
                break;
            case kResType:
                record.set("type", qp_type_name(in.number<std::uint8_t>()));
                break;
            case kResSubtype:
                record.set("subtype", in.text());
                break;
            case kResState:
                record.set("state", table_ == RdmaTable::qp ? name_or_number(kQpStates, in.number<std::uint8_t>())
                                                            : name_or_number(kCmStates, in.number<std::uint8_t>()));
                break;
            case kResPid:
                record.set("pid", in.number<std::uint32_t>());
                break;
            case kResKernName:
                record.set("kern", in.text());
                break;
            case kResPdn:
                record.set("pdn", in.number<std::uint32_t>());
                break;
            case kResSqPsn:
                record.set("sq_psn", in.number<std::uint32_t>());
                break;
            case kResPathMigState:
                record.set("path_mig", name_or_number(kPathMigStates, in.number<std::uint8_t>()));
                break;
            case kResPs:
                record.set("ps", port_space_name(in.number<std::uint32_t>()));
                break;
            case kResSrcAddr:
                if (auto text = socket_address_text(in.payload()); !text.empty()) record.set("src", text);
                break;
            case kResDstAddr:
                if (auto text = socket_address_text(in.payload()); !text.empty()) record.set("dst", text);
                break;
            case kResCmIdn:
                if (table_ == RdmaTable::cm_id) key.second = in.number<std::uint32_t>();
                record.set("cm_idn", in.number<std::uint32_t>());
                break;
            case kResCqe:
                record.set("cqe", in.number<std::uint32_t>());
                break;
            case kResUseCount:
                record.set("users", in.number<std::uint64_t>());
                break;
            case kResCqn:
                if (table_ == RdmaTable::cq) key.second = in.number<std::uint32_t>();
                record.set("cqn", in.number<std::uint32_t>());
                break;
            case kResMrLength:
                record.set("length", in.number<std::uint64_t>());
                break;
            case kResMrn:
                if (table_ == RdmaTable::mr || table_ == RdmaTable::mr_stat) key.second = in.number<std::uint32_t>();
                record.set("mrn", in.number<std::uint32_t>());
                break;
            case kResCtxn:
                if (table_ == RdmaTable::ctx) key.second = in.number<std::uint32_t>();
                record.set("ctxn", in.number<std::uint32_t>());
                break;
            case kStatHwcounters:
                add_counters(in, record);
                break;
            default:
                break;
        }
    }
    attributes.absorb(in);
    if (!seen_.insert(key).second || seen_.size() > limit_) return;
    text_ += record.text();
}

std::string RdmaTableText::text(const std::string& error) const {
    if (!full() && error.empty()) return text_;
    Record last;
    last.set("truncated", std::uint64_t{1});
    last.set("seen", std::uint64_t{seen_.size()});
    if (!error.empty()) last.set("error", error);
    return text_ + last.text();
}

}  // namespace rd
