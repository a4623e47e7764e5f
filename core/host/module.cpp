// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/module.h"

#include <fmt/format.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <string_view>

#include "core/base/text.h"
#include "core/host/ethtool.h"
#include "core/host/ethtool_ioctl.h"

namespace rd {
namespace {

constexpr unsigned kLongestPause = 32;

// What is read of a module, wherever its map has it.
struct Diagnostics {
    std::string identifier;
    std::string map;
    std::string vendor;
    std::string part;
    bool copper = false;
    std::optional<unsigned> lanes;
};

class Piece {
public:
    explicit Piece(const Answer<ModuleBytes>& bytes, std::uint8_t offset) : offset_(offset) {
        if (bytes) bytes_ = *bytes;
    }
    [[nodiscard]] bool missing() const { return bytes_.empty(); }
    // Big-endian, by the offsets of the map; 0 beyond what was given.
    [[nodiscard]] unsigned byte(unsigned at) const {
        const std::size_t index = at - offset_;
        return index < bytes_.size() ? std::to_integer<unsigned>(bytes_[index]) : 0;
    }
    [[nodiscard]] unsigned word(unsigned at) const { return byte(at) << 8 | byte(at + 1); }
    [[nodiscard]] std::string text(unsigned at, unsigned length) const {
        std::string text;
        for (unsigned i = 0; i < length; ++i) {
            const unsigned c = byte(at + i);
            if (c >= 0x20 && c < 0x7f) text += static_cast<char>(c);
        }
        return std::string(trim(text));
    }

private:
    ModuleBytes bytes_;
    unsigned offset_;
};

// Shortest text that says the number: "3.3", "41".
std::string plain(double value) { return fmt::format("{:.7g}", value); }

double degrees(unsigned raw) { return static_cast<std::int16_t>(raw) / 256.0; }
double volts(unsigned raw) { return raw / 10000.0; }
double milliwatts(unsigned raw) { return raw / 10000.0; }
double milliamperes(unsigned raw) { return raw * 0.002; }

using Scale = double (*)(unsigned raw);

// High alarm, low alarm, high warning, low warning: the order of every map. A module that leaves all four empty has none.
void set_thresholds(Record& record, std::string_view name, const Piece& piece, unsigned at, Scale scale) {
    constexpr std::array<std::string_view, 4> kNames{"high_alarm", "low_alarm", "high_warning", "low_warning"};
    if (piece.word(at) == 0 && piece.word(at + 2) == 0 && piece.word(at + 4) == 0 && piece.word(at + 6) == 0) return;
    for (unsigned i = 0; i < kNames.size(); ++i) {
        record.set(fmt::format("{}_{}", name, kNames[i]), plain(scale(piece.word(at + 2 * i))));
    }
}

// Copper says zero for what it does not measure.
void set_lanes(Record& record, std::string_view name, const Piece& piece, unsigned at, unsigned lanes, Scale scale,
               unsigned factor = 1) {
    bool any = false;
    for (unsigned i = 0; i < lanes; ++i) any = any || piece.word(at + 2 * i) != 0;
    for (unsigned i = 0; any && i < lanes; ++i) {
        record.set(fmt::format("{}_{}", name, i + 1), plain(scale(piece.word(at + 2 * i)) * factor));
    }
}

void set_environment(Record& record, unsigned temperature, unsigned voltage) {
    if (temperature == 0 && voltage == 0) return;
    if (temperature != 0) record.set("temperature", plain(degrees(temperature)));
    if (voltage != 0) record.set("voltage", plain(volts(voltage)));
}

Record head(const Diagnostics& what) {
    Record record;
    record.set("identifier", what.identifier);
    record.set("map", what.map);
    if (!what.vendor.empty()) record.set("vendor", what.vendor);
    if (!what.part.empty()) record.set("part", what.part);
    record.set("copper", std::uint64_t{what.copper});
    if (what.lanes) record.set("lanes", std::uint64_t{*what.lanes});
    return record;
}

std::string identifier_name(unsigned identifier) {
    switch (identifier) {
        case 0x03:
            return "SFP";
        case 0x0c:
            return "QSFP";
        case 0x0d:
            return "QSFP+";
        case 0x11:
            return "QSFP28";
        case 0x18:
            return "QSFP-DD";
        case 0x19:
            return "OSFP";
        case 0x1e:
            return "QSFP-CMIS";
        default:
            return fmt::format("{:#04x}", identifier);
    }
}

Piece get(const FetchModule& fetch, const ModulePiece& piece) { return Piece(fetch(piece), piece.offset); }

std::string describe_sfp(const FetchModule& fetch, Diagnostics what) {
    constexpr std::uint8_t kDiagnostics = 0x51;
    constexpr unsigned kImplemented = 0x40, kExternallyCalibrated = 0x10, kCopper = 0x0c;
    const Piece base = get(fetch, {0, 0, 93});
    what.map = "sff8472";
    what.vendor = base.text(20, 16);
    what.part = base.text(40, 16);
    what.copper = (base.byte(8) & kCopper) != 0;  // passive or active cable
    what.lanes = 1;
    Record record = head(what);
    // Values that want calibration by constants of the module are of old optics that no RDMA adapter takes.
    if ((base.byte(92) & kImplemented) == 0 || (base.byte(92) & kExternallyCalibrated) != 0) return record.text();
    const Piece now = get(fetch, {0, 96, 10, kDiagnostics});
    const Piece limits = get(fetch, {0, 0, 40, kDiagnostics});
    set_environment(record, now.word(96), now.word(98));
    set_lanes(record, "bias", now, 100, 1, milliamperes);
    set_lanes(record, "tx_power", now, 102, 1, milliwatts);
    set_lanes(record, "rx_power", now, 104, 1, milliwatts);
    set_thresholds(record, "temperature", limits, 0, degrees);
    set_thresholds(record, "voltage", limits, 8, volts);
    set_thresholds(record, "bias", limits, 16, milliamperes);
    set_thresholds(record, "tx_power", limits, 24, milliwatts);
    set_thresholds(record, "rx_power", limits, 32, milliwatts);
    return record.text();
}

std::string describe_qsfp(const FetchModule& fetch, Diagnostics what, unsigned status) {
    constexpr unsigned kNotReady = 1, kFlat = 4, kLanes = 4, kFirstCopper = 0xa;
    const Piece now = get(fetch, {0, 22, 36});
    const Piece base = get(fetch, {0, 128, 95});
    what.map = "sff8636";
    what.vendor = base.text(148, 16);
    what.part = base.text(168, 16);
    what.copper = base.byte(147) >> 4 >= kFirstCopper;
    what.lanes = kLanes;
    Record record = head(what);
    if ((status & kNotReady) == 0) {
        set_environment(record, now.word(22), now.word(26));
        set_lanes(record, "rx_power", now, 34, kLanes, milliwatts);
        set_lanes(record, "bias", now, 42, kLanes, milliamperes);
        set_lanes(record, "tx_power", now, 50, kLanes, milliwatts);
    }
    if ((status & kFlat) != 0) return record.text();
    const Piece limits = get(fetch, {3, 128, 72});
    set_thresholds(record, "temperature", limits, 128, degrees);
    set_thresholds(record, "voltage", limits, 144, volts);
    set_thresholds(record, "rx_power", limits, 176, milliwatts);
    set_thresholds(record, "bias", limits, 184, milliamperes);
    set_thresholds(record, "tx_power", limits, 192, milliwatts);
    return record.text();
}

std::string describe_cmis(const FetchModule& fetch, Diagnostics what, unsigned status) {
    constexpr unsigned kFlat = 0x80, kBankLanes = 8, kFirstCopper = 0xa, kLastCopper = 0xf;
    const Piece now = get(fetch, {0, 14, 4});
    const Piece application = get(fetch, {0, 88, 1});
    const Piece base = get(fetch, {0, 128, 85});
    what.map = "cmis";
    what.vendor = base.text(129, 16);
    what.part = base.text(148, 16);
    what.copper = base.byte(212) >= kFirstCopper && base.byte(212) <= kLastCopper;
    const unsigned media =
        application.byte(88) & 0xf;  // of the first application, which is the one modules come up with
    what.lanes = media >= 1 && media <= kBankLanes ? media : kBankLanes;
    Record record = head(what);
    set_environment(record, now.word(14), now.word(16));
    if ((status & kFlat) != 0) return record.text();
    const Piece limits = get(fetch, {2, 128, 72});
    const Piece advertised = get(fetch, {1, 160, 1});
    const Piece lanes = get(fetch, {0x11, 154, 48});
    const unsigned factor = 1u << std::min(advertised.byte(160) >> 3 & 3, 2u);
    set_lanes(record, "tx_power", lanes, 154, *what.lanes, milliwatts);
    set_lanes(record, "bias", lanes, 170, *what.lanes, milliamperes, factor);
    set_lanes(record, "rx_power", lanes, 186, *what.lanes, milliwatts);
    set_thresholds(record, "temperature", limits, 128, degrees);
    set_thresholds(record, "voltage", limits, 136, volts);
    set_thresholds(record, "tx_power", limits, 176, milliwatts);
    set_thresholds(record, "rx_power", limits, 192, milliwatts);
    // With a factor the thresholds carry it too, and long-haul optics that need one are no RDMA cabling.
    if (factor == 1) set_thresholds(record, "bias", limits, 184, milliamperes);
    return record.text();
}

// One piece through the netlink family.
Answer<ModuleBytes> fetch_by_netlink(std::uint16_t family, const std::string& netdev, const ModulePiece& piece) {
    Request request(family, 0);
    genlmsghdr head{};
    head.cmd = ETHTOOL_MSG_MODULE_EEPROM_GET;
    head.version = ETHTOOL_GENL_VERSION;
    request.fixed(std::as_bytes(std::span(&head, 1)));
    nlattr* header = request.begin(ETHTOOL_A_MODULE_EEPROM_HEADER);
    request.text(ETHTOOL_A_HEADER_DEV_NAME, netdev);
    request.end(header);
    request.u32(ETHTOOL_A_MODULE_EEPROM_OFFSET, piece.offset);
    request.u32(ETHTOOL_A_MODULE_EEPROM_LENGTH, piece.length);
    request.u8(ETHTOOL_A_MODULE_EEPROM_PAGE, piece.page);
    request.u8(ETHTOOL_A_MODULE_EEPROM_BANK, 0);
    request.u8(ETHTOOL_A_MODULE_EEPROM_I2C_ADDRESS, piece.address);
    Replies replies;
    if (auto answer = Netlink::of_this_thread(NETLINK_GENERIC).ask(request, replies); !answer)
        return tl::unexpected(answer.error());
    if (replies.size() == 0 || replies[0].payload.size() < GENL_HDRLEN) return refused(EBADMSG);
    Attributes in(replies[0].payload.subspan(GENL_HDRLEN));
    while (in.next()) {
        if (in.type() != ETHTOOL_A_MODULE_EEPROM_DATA) continue;
        const Bytes data = in.payload();
        return ModuleBytes(data.begin(), data.end());
    }
    return refused(EBADMSG, "no memory in the answer");
}

bool is_missing(int errnum) { return errnum == ENOENT || errnum == EOPNOTSUPP; }

}  // namespace

Answer<std::string> describe_module(const FetchModule& fetch) {
    const auto first = fetch({0, 0, 3});
    if (!first) return tl::unexpected(first.error());
    const Piece head(first, 0);
    if (head.missing()) return refused(EBADMSG, "the module gave no bytes");
    const unsigned identifier = head.byte(0), status = head.byte(2);
    Diagnostics what;
    what.identifier = identifier_name(identifier);
    switch (identifier) {
        case 0x03:
            return describe_sfp(fetch, what);
        case 0x0c:
        case 0x0d:
        case 0x11:
            return describe_qsfp(fetch, what, status);
        case 0x18:
        case 0x19:
        case 0x1e:
            return describe_cmis(fetch, what, status);
        default:
            return refused(EOPNOTSUPP, fmt::format("module identifier {}", what.identifier));
    }
}

ModuleReader::ModuleReader(std::string netdev, std::string object)
    : netdev_(std::move(netdev)), object_(std::move(object)) {}

Answer<std::string> ModuleReader::ask() {
    if (family_ == 0) {
        if (const auto family = ethtool_family()) family_ = *family;
    }
    if (family_ != 0) {
        auto text =
            describe_module([this](const ModulePiece& piece) { return fetch_by_netlink(family_, netdev_, piece); });
        if (text || !is_missing(text.error().errnum)) return text;
    }
    return describe_module([this](const ModulePiece& piece) { return read_module_by_ioctl(netdev_, piece); });
}

Result<std::string> ModuleReader::read() {
    if (passed_ < pause_) {
        ++passed_;
        return tl::unexpected(error_of(failure_, object_));
    }
    auto text = ask();
    passed_ = 0;
    if (text) {
        pause_ = 0;
        return std::move(*text);
    }
    failure_ = text.error();
    const bool no_module = failure_.errnum != EPERM && !is_missing(failure_.errnum);
    pause_ = no_module ? std::min(std::max(2 * pause_, 1u), kLongestPause) : 0;
    Error error = error_of(failure_, object_);
    if (error.code == Errc::no_privilege) error.remedy = "run as root (CAP_NET_ADMIN)";
    return tl::unexpected(std::move(error));
}

}  // namespace rd
