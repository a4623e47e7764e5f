// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/ethtool_ioctl.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstring>

#include "core/base/records.h"
#include "core/base/text.h"
#include "core/host/descriptor.h"

namespace rd {
namespace {

constexpr int kAttempts = 3;
// The kernel writes as many statistics as the driver has at that moment, whatever was announced. So the room is that of
// the largest device we are willing to read, twice over; pages that are not written cost nothing.
constexpr std::uint32_t kMaxStatistics = 65'536;
constexpr std::size_t kRoom = 2 * std::size_t{kMaxStatistics};

// Per thread, for the reason given at Netlink::of_this_thread. Any family passes device ioctls on; AF_UNIX is the one
// that no sandbox takes away.
int ioctl_socket() {
    thread_local Descriptor socket;
    if (!socket) socket = Descriptor(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    return socket.get();
}

ifreq request_for(const std::string& netdev) {
    ifreq request{};
    netdev.copy(request.ifr_name, sizeof(request.ifr_name) - 1);
    return request;
}

Answer<> call(const std::string& netdev, void* command) {
    ifreq request = request_for(netdev);
    request.ifr_data = static_cast<char*>(command);
    const int socket = ioctl_socket();
    if (socket < 0 || ::ioctl(socket, SIOCETHTOOL, &request) != 0) return refused(errno);
    return {};
}

Answer<std::uint32_t> index_of(const std::string& netdev) {
    ifreq request = request_for(netdev);
    const int socket = ioctl_socket();
    if (socket < 0 || ::ioctl(socket, SIOCGIFINDEX, &request) != 0) return refused(errno);
    return static_cast<std::uint32_t>(request.ifr_ifindex);
}

template <class T>
Bytes bytes_of(const T& value) {
    return std::as_bytes(std::span(&value, 1));
}

// A structure with a flexible array behind it, in zeroed memory that is aligned for it.
template <class T>
struct WithRoom {
    explicit WithRoom(std::size_t extra)
        : size(sizeof(T) + extra),
          memory(new std::uint64_t[(size + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t)]()) {}
    T* operator->() const { return reinterpret_cast<T*>(memory.get()); }
    [[nodiscard]] T* get() const { return reinterpret_cast<T*>(memory.get()); }
    [[nodiscard]] Bytes behind() const {
        return Bytes(reinterpret_cast<const std::byte*>(memory.get()), size).subspan(sizeof(T));
    }

    std::size_t size;
    std::unique_ptr<std::uint64_t[]> memory;
};

Answer<std::uint32_t> string_count(const std::string& netdev, unsigned set) {
    WithRoom<ethtool_sset_info> info(sizeof(std::uint32_t));
    info->cmd = ETHTOOL_GSSET_INFO;
    info->sset_mask = 1ull << set;
    if (auto done = call(netdev, info.get()); !done) return tl::unexpected(done.error());
    if (info->sset_mask == 0) return refused(EOPNOTSUPP);
    return value_at<std::uint32_t>(info.behind()).value_or(0);
}

Answer<std::string> read_words(EthtoolPart part, const std::string& netdev, std::uint32_t command) {
    std::array<std::uint32_t, kCoalesceNames.size() + 1> words{};
    words[0] = command;
    if (auto done = call(netdev, words.data()); !done) return tl::unexpected(done.error());
    return decode_words(part, std::as_bytes(std::span(words)));
}

Answer<std::string> read_link(const std::string& netdev) {
    ethtool_value up{};
    up.cmd = ETHTOOL_GLINK;
    if (auto done = call(netdev, &up); !done) return tl::unexpected(done.error());
    // The first call only learns how many words a mask has; the kernel says so with a negative number.
    WithRoom<ethtool_link_settings> settings(3 * sizeof(std::uint32_t) * std::size_t{SCHAR_MAX});
    settings->cmd = ETHTOOL_GLINKSETTINGS;
    if (auto done = call(netdev, settings.get()); !done) {
        if (done.error().errnum == EOPNOTSUPP) return decode_link_settings({}, up.data);
        return tl::unexpected(done.error());
    }
    if (settings->link_mode_masks_nwords >= 0) return refused(EBADMSG, "unexpected answer to the mask size");
    const auto words = static_cast<std::int8_t>(-settings->link_mode_masks_nwords);
    std::memset(settings.get(), 0, sizeof(ethtool_link_settings));
    settings->cmd = ETHTOOL_GLINKSETTINGS;
    settings->link_mode_masks_nwords = words;
    if (auto done = call(netdev, settings.get()); !done) return tl::unexpected(done.error());
    return decode_link_settings(bytes_of(*settings.get()), up.data);
}

Answer<std::string> read_features(const std::string& netdev) {
    const auto count = string_count(netdev, ETH_SS_FEATURES);
    if (!count) return tl::unexpected(count.error());
    if (*count > kMaxStatistics) return refused(E2BIG);
    WithRoom<ethtool_gstrings> names(std::size_t{*count} * ETH_GSTRING_LEN);
    names->cmd = ETHTOOL_GSTRINGS;
    names->string_set = ETH_SS_FEATURES;
    names->len = *count;
    if (auto done = call(netdev, names.get()); !done) return tl::unexpected(done.error());
    const std::uint32_t blocks = (*count + 31) / 32;
    WithRoom<ethtool_gfeatures> features(blocks * sizeof(ethtool_get_features_block));
    features->cmd = ETHTOOL_GFEATURES;
    features->size = blocks;
    if (auto done = call(netdev, features.get()); !done) return tl::unexpected(done.error());
    return decode_feature_blocks(names.behind(), features.behind());
}

Answer<std::string> read_fec(const std::string& netdev) {
    ethtool_fecparam parameters{};
    parameters.cmd = ETHTOOL_GFECPARAM;
    if (auto done = call(netdev, &parameters); !done) return tl::unexpected(done.error());
    return decode_fec_parameters(bytes_of(parameters));
}

}  // namespace

Result<std::string> decode_driver(Bytes drvinfo, std::string_view object) {
    const auto info = value_at<ethtool_drvinfo>(drvinfo);
    if (!info) return fail(Errc::bad_input, std::string(object) + ": driver information is too short");
    Record record;
    const auto set = [&record](std::string_view key, Bytes field) {
        if (const auto text = trim(text_of(field)); !text.empty()) record.set(key, text);
    };
    set("driver", bytes_of(info->driver));
    set("version", bytes_of(info->version));
    set("firmware", bytes_of(info->fw_version));
    set("bus", bytes_of(info->bus_info));
    return record.text();
}

Result<std::string> read_driver(const std::string& netdev, std::string_view object) {
    ethtool_drvinfo info{};
    info.cmd = ETHTOOL_GDRVINFO;
    if (auto done = call(netdev, &info); !done) return tl::unexpected(error_of(done.error(), object));
    return decode_driver(bytes_of(info), object);
}

Answer<std::string> decode_words(EthtoolPart part, Bytes words) {
    const EthtoolNames known = ethtool_names(part);
    const bool limits_first = part == EthtoolPart::rings || part == EthtoolPart::channels;
    const std::size_t half = known.ioctl_count / 2;
    Record record;
    for (std::size_t i = 0; i < known.ioctl_count; ++i) {
        const auto value = value_at<std::uint32_t>(words, (i + 1) * sizeof(std::uint32_t));
        if (!value) return refused(EBADMSG, "structure too short");
        // Rings and channels: four limits, then the four values. A limit of 0 means that the device has none of them.
        if (limits_first && value_at<std::uint32_t>(words, (i % half + 1) * sizeof(std::uint32_t)) == 0u) continue;
        record.set(known.names[i], *value);
    }
    return record.text();
}

Answer<std::string> decode_link_settings(Bytes settings, std::uint32_t link_up) {
    Record record;
    if (!settings.empty()) {
        const auto speed = value_at<std::uint32_t>(settings, offsetof(ethtool_link_settings, speed));
        const auto duplex = value_at<std::uint8_t>(settings, offsetof(ethtool_link_settings, duplex));
        const auto autoneg = value_at<std::uint8_t>(settings, offsetof(ethtool_link_settings, autoneg));
        if (!speed || !duplex || !autoneg) return refused(EBADMSG, "link settings too short");
        if (*speed != 0 && *speed != static_cast<std::uint32_t>(SPEED_UNKNOWN)) record.set("speed", *speed);
        if (const auto name = duplex_name(*duplex); !name.empty()) record.set("duplex", name);
        record.set("autoneg", *autoneg);
    }
    record.set("link", std::uint64_t{link_up != 0});
    return record.text();
}

Answer<std::string> decode_fec_parameters(Bytes parameters) {
    const auto fixed = value_at<ethtool_fecparam>(parameters);
    if (!fixed) return refused(EBADMSG, "FEC parameters too short");
    constexpr std::pair<std::uint32_t, std::string_view> kModes[] = {
        {ETHTOOL_FEC_OFF, "none"}, {ETHTOOL_FEC_RS, "rs"}, {ETHTOOL_FEC_BASER, "baser"}, {ETHTOOL_FEC_LLRS, "llrs"}};
    const auto list = [&kModes](std::uint32_t mask) {
        std::string text;
        for (const auto& [bit, name] : kModes) {
            if (mask & bit) text += (text.empty() ? "" : ",") + std::string(name);
        }
        return text;
    };
    Record record;
    if (const auto modes = list(fixed->fec); !modes.empty()) record.set("modes", modes);
    record.set("auto", std::uint64_t{(fixed->fec & ETHTOOL_FEC_AUTO) != 0});
    if (const auto active = list(fixed->active_fec); !active.empty()) record.set("active", active);
    return record.text();
}

Answer<std::string> decode_feature_blocks(Bytes names, Bytes blocks) {
    std::string text;
    const std::vector<std::string> strings = decode_strings(names);
    for (std::size_t i = 0; i < strings.size(); ++i) {
        const auto block = value_at<ethtool_get_features_block>(blocks, i / 32 * sizeof(ethtool_get_features_block));
        if (!block) return refused(EBADMSG, "fewer features than names");
        if (strings[i].empty()) continue;
        const auto bit = [i](std::uint32_t word) { return std::uint64_t{(word >> (i % 32)) & 1u}; };
        Record record;
        record.set("name", strings[i]);
        record.set("active", bit(block->active));
        record.set("wanted", bit(block->requested));
        record.set("hw", bit(block->available));
        record.set("nochange", bit(block->never_changed));
        text += record.text();
    }
    return text;
}

Answer<std::string> read_by_ioctl(EthtoolPart part, const std::string& netdev) {
    switch (part) {
        case EthtoolPart::link:
            return read_link(netdev);
        case EthtoolPart::pause:
            return read_words(part, netdev, ETHTOOL_GPAUSEPARAM);
        case EthtoolPart::coalesce:
            return read_words(part, netdev, ETHTOOL_GCOALESCE);
        case EthtoolPart::rings:
            return read_words(part, netdev, ETHTOOL_GRINGPARAM);
        case EthtoolPart::channels:
            return read_words(part, netdev, ETHTOOL_GCHANNELS);
        case EthtoolPart::features:
            return read_features(netdev);
        case EthtoolPart::fec:
            break;
    }
    return read_fec(netdev);
}

// The older form has one row of bytes: page 0 of SFF-8636 and its upper halves one after the other, or both addresses of SFF-8472.
Answer<ModuleBytes> read_module_by_ioctl(const std::string& netdev, const ModulePiece& piece) {
    constexpr std::uint32_t kHalf = 128, kSecondAddress = 256;
    constexpr std::uint8_t kDiagnostics = 0x51;
    ethtool_modinfo info{};
    info.cmd = ETHTOOL_GMODULEINFO;
    if (auto done = call(netdev, &info); !done) return tl::unexpected(done.error());
    const std::uint32_t offset =
        piece.offset + (piece.address == kDiagnostics ? kSecondAddress : kHalf * std::uint32_t{piece.page});
    if (offset + piece.length > info.eeprom_len) return refused(EINVAL, "beyond the memory the driver shows");
    WithRoom<ethtool_eeprom> memory(piece.length);
    memory->cmd = ETHTOOL_GMODULEEEPROM;
    memory->offset = offset;
    memory->len = piece.length;
    if (auto done = call(netdev, memory.get()); !done) return tl::unexpected(done.error());
    const Bytes bytes = memory.behind().first(piece.length);
    return ModuleBytes(bytes.begin(), bytes.end());
}

std::vector<std::string> decode_strings(Bytes strings) {
    std::vector<std::string> names;
    for (; strings.size() >= ETH_GSTRING_LEN; strings = strings.subspan(ETH_GSTRING_LEN)) {
        names.emplace_back(trim(text_of(strings.first(ETH_GSTRING_LEN))));
    }
    return names;
}

Result<std::string> decode_statistics(const std::vector<std::string>& names, Bytes values, std::string_view object) {
    Record record;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto value = value_at<std::uint64_t>(values, i * sizeof(std::uint64_t));
        if (!value) return fail(Errc::bad_input, std::string(object) + ": fewer values than names");
        if (!names[i].empty()) record.set(names[i], std::uint64_t{*value});
    }
    return record.text();
}

StatisticsReader::StatisticsReader(std::string netdev, std::string object)
    : netdev_(std::move(netdev)), object_(std::move(object)) {}

Answer<std::uint32_t> StatisticsReader::count() const { return string_count(netdev_, ETH_SS_STATS); }

Answer<> StatisticsReader::read_names(std::uint32_t count) {
    const auto room = std::make_unique_for_overwrite<std::byte[]>(sizeof(ethtool_gstrings) + kRoom * ETH_GSTRING_LEN);
    ethtool_gstrings head{};
    head.cmd = ETHTOOL_GSTRINGS;
    head.string_set = ETH_SS_STATS;
    head.len = count;
    std::memcpy(room.get(), &head, sizeof(head));
    if (auto done = call(netdev_, room.get()); !done) return done;
    std::memcpy(&head, room.get(), sizeof(head));
    if (head.len > kMaxStatistics) return refused(E2BIG);
    names_ = decode_strings({room.get() + sizeof(head), std::size_t{head.len} * ETH_GSTRING_LEN});
    return {};
}

Answer<std::uint32_t> StatisticsReader::read_values(std::uint32_t count) {
    if (!values_) {
        values_ = std::make_unique_for_overwrite<std::byte[]>(sizeof(ethtool_stats) + kRoom * sizeof(std::uint64_t));
    }
    ethtool_stats head{};
    head.cmd = ETHTOOL_GSTATS;
    head.n_stats = count;
    std::memcpy(values_.get(), &head, sizeof(head));
    if (auto done = call(netdev_, values_.get()); !done) return tl::unexpected(done.error());
    std::memcpy(&head, values_.get(), sizeof(head));
    return head.n_stats;
}

Result<std::string> StatisticsReader::read() {
    const auto error = [this](const Failure& failure) { return tl::unexpected(error_of(failure, object_)); };
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        const auto index = index_of(netdev_);
        if (!index) return error(index.error());
        const auto announced = count();
        if (!announced) return error(announced.error());
        if (*announced > kMaxStatistics) {
            return fail(Errc::limit, object_ + ": " + std::to_string(*announced) + " statistics");
        }
        if (*announced == 0) return std::string();
        if (*index != index_ || *announced != names_.size()) {
            if (auto done = read_names(*announced); !done) return error(done.error());
            index_ = *index;
        }
        const auto given = read_values(*announced);
        if (!given) return error(given.error());
        if (*given == names_.size()) {
            return decode_statistics(names_, {values_.get() + sizeof(ethtool_stats), *given * sizeof(std::uint64_t)},
                                     object_);
        }
    }
    return fail(Errc::io, object_ + ": the number of statistics kept changing while they were read");
}

}  // namespace rd
