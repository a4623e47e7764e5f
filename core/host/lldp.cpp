// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/lldp.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/base/text.h"
#include "core/host/clock.h"

namespace rd {
namespace {

using Data = std::span<const std::uint8_t>;

constexpr std::size_t kMaxFrame = 1600;
constexpr std::size_t kMaxUnits = 256;  // a frame of empty TLVs
constexpr int kMostFrames = 64;         // a read: a sender that never pauses must not hold us

// IEEE 802.1AB, table 8-1; organisations' own: IEEE 802.1Q annex D (00-80-C2) and 802.3 (00-12-0F).
enum : unsigned {
    kEnd = 0,
    kChassis = 1,
    kPort = 2,
    kTtl = 3,
    kPortDescription = 4,
    kSystemName = 5,
    kOrganisation = 127
};
constexpr std::uint32_t kOui8021 = 0x0080c2, kOui8023 = 0x00120f;
enum : unsigned { kMaxFrameSize = 4, kEtsConfiguration = 9, kPfc = 11, kApplications = 12 };
constexpr unsigned kSubtypeMac = 4, kPortSubtypeMac = 3;

std::uint16_t u16(Data data, std::size_t at) { return static_cast<std::uint16_t>(data[at] << 8 | data[at + 1]); }
std::uint32_t u24(Data data) { return static_cast<std::uint32_t>(data[0] << 16 | data[1] << 8 | data[2]); }

std::string text_of(Data data) { return std::string(data.begin(), data.end()); }

// An identifier behind its subtype: an address as such, anything else as it is written.
std::string identifier(Data data, unsigned mac_subtype) {
    if (data[0] != mac_subtype || data.size() != 7) return text_of(data.subspan(1));
    return fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}", data[1], data[2], data[3], data[4], data[5],
                       data[6]);
}

// IEEE 802.1Q D.2.8 and D.2.10: willing in the highest bit; what follows differs.
void put_pfc(Data data, Record& out) {
    if (data.size() < 2) return;
    out.set("pfc_willing", std::uint64_t{data[0] >> 7 != 0});
    out.set("pfc_cap", std::uint64_t{data[0]} & 15);
    out.set("pfc_enabled", std::uint64_t{data[1]});
}

void put_ets(Data data, Record& out) {
    if (data.size() < 21) return;
    out.set("ets_willing", std::uint64_t{data[0] >> 7 != 0});
    for (std::size_t i = 0; i < 8; ++i) {
        const unsigned two = data[1 + i / 2];
        out.set(fmt::format("prio_tc_{}", i), std::uint64_t{i % 2 == 0 ? two >> 4 : two & 15});
    }
    for (std::size_t i = 0; i < 8; ++i) out.set(fmt::format("tc_bw_{}", i), std::uint64_t{data[5 + i]});
}

// Entries of three bytes: priority and selector, protocol.
void put_applications(Data data, Record& out) {
    std::string all;
    for (std::size_t at = 1; at + 3 <= data.size(); at += 3) {
        const unsigned priority = data[at] >> 5, selector = data[at] & 7;
        all += fmt::format("{}{}:{}:{}", all.empty() ? "" : ",", selector, u16(data, at + 1), priority);
    }
    if (!all.empty()) out.set("applications", all);
}

void put_organisation(Data data, Record& out) {
    if (data.size() < 4) return;
    const std::uint32_t oui = u24(data);
    const unsigned subtype = data[3];
    const Data value = data.subspan(4);
    if (oui == kOui8023 && subtype == kMaxFrameSize && value.size() >= 2) {
        out.set("max_frame", std::uint64_t{u16(value, 0)});
    }
    if (oui != kOui8021) return;
    if (subtype == kPfc) put_pfc(value, out);
    if (subtype == kEtsConfiguration) put_ets(value, out);
    if (subtype == kApplications) put_applications(value, out);
}

void put_unit(unsigned type, Data data, Record& out) {
    switch (type) {
        case kChassis:
            if (data.size() > 1) out.set("chassis", identifier(data, kSubtypeMac));
            return;
        case kPort:
            if (data.size() > 1) out.set("port", identifier(data, kPortSubtypeMac));
            return;
        case kTtl:
            if (data.size() >= 2) out.set("ttl", std::uint64_t{u16(data, 0)});
            return;
        case kPortDescription:
            return out.set("port_description", text_of(data));
        case kSystemName:
            return out.set("hostname", text_of(data));
        case kOrganisation:
            return put_organisation(data, out);
        default:
            return;
    }
}

}  // namespace

Result<Record> decode_lldp(Data data) {
    Record record;
    for (std::size_t units = 0; units < kMaxUnits; ++units) {
        if (data.size() < 2) return fail(Errc::bad_input, "an LLDP frame without end");
        const unsigned type = data[0] >> 1;
        const std::size_t size = (data[0] & 1U) << 8 | data[1];
        data = data.subspan(2);
        if (size > data.size()) return fail(Errc::bad_input, "an LLDP frame that is cut off");
        if (type == kEnd) {
            if (!record.get("chassis") || !record.get("port") || !record.get("ttl")) {
                return fail(Errc::bad_input, "an LLDP frame without chassis, port or time to live");
            }
            return record;
        }
        put_unit(type, data.first(size), record);
        data = data.subspan(size);
    }
    return fail(Errc::bad_input, "an LLDP frame of too many parts");
}

Result<> LldpReader::open() {
    const unsigned index = ::if_nametoindex(netdev_.c_str());
    if (index == 0) return tl::unexpected(error_from_errno(errno, object_));
    // Protocol 0 until it is bound: else frames of every interface would come in between.
    Descriptor fresh(::socket(AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_protocol = htons(ETH_P_LLDP);
    address.sll_ifindex = static_cast<int>(index);
    if (!fresh || ::bind(fresh.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        Error error = error_from_errno(errno, object_);
        if (error.code == Errc::no_privilege) error.remedy = "run as root, or give CAP_NET_RAW";
        return tl::unexpected(std::move(error));
    }
    socket_ = std::move(fresh);
    return {};
}

void LldpReader::drain() {
    std::array<std::uint8_t, kMaxFrame> frame;
    for (int i = 0; i < kMostFrames; ++i) {
        sockaddr_ll from{};
        socklen_t size = sizeof from;
        const ssize_t got =
            ::recvfrom(socket_.get(), frame.data(), frame.size(), 0, reinterpret_cast<sockaddr*>(&from), &size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            // The interface went down or away. Frames of before stay true until they expire.
            if (errno != EAGAIN && errno != ENETDOWN) socket_.reset();
            return;
        }
        if (from.sll_pkttype == PACKET_OUTGOING) continue;  // what an agent of this host sends
        newest_.emplace(frame.data(), frame.data() + got);
        received_ns_ = steady_ns();
    }
}

Result<std::string> LldpReader::read() {
    if (!socket_) {
        if (auto opened = open(); !opened) return tl::unexpected(std::move(opened.error()));
    }
    drain();
    if (!newest_) return std::string();
    auto record = decode_lldp(*newest_);
    if (!record) return fail(record.error().code, object_ + ": " + record.error().what);
    const std::int64_t age_ms = (steady_ns() - received_ns_) / 1'000'000;
    const auto ttl = parse_counter(record->get("ttl").value_or(""));
    if (ttl && age_ms > *ttl * 1000) return std::string();
    record->set("age_ms", static_cast<std::uint64_t>(std::max<std::int64_t>(age_ms, 0)));
    return record->text();
}

}  // namespace rd
