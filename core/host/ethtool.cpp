// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/ethtool.h"

#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>

#include <cerrno>

#include "core/host/ethtool_ioctl.h"

namespace rd {
namespace {

Request generic_request(std::uint16_t family, std::uint8_t command, std::uint8_t version) {
    Request request(family, 0);
    genlmsghdr head{};
    head.cmd = command;
    head.version = version;
    request.fixed(std::as_bytes(std::span(&head, 1)));
    return request;
}

Request ethtool_request(std::uint16_t family, std::uint8_t command, const std::string& netdev, std::uint32_t flags) {
    constexpr std::uint16_t kHeader = 1;  // ETHTOOL_A_*_HEADER has this number in every message used here
    Request request = generic_request(family, command, ETHTOOL_GENL_VERSION);
    nlattr* header = request.begin(kHeader);
    request.text(ETHTOOL_A_HEADER_DEV_NAME, netdev);
    if (flags) request.u32(ETHTOOL_A_HEADER_FLAGS, flags);
    request.end(header);
    return request;
}

std::vector<Request> requests_for(EthtoolPart part, std::uint16_t family, const std::string& netdev) {
    std::vector<Request> requests;
    const auto add = [&](std::uint8_t command, std::uint32_t flags) {
        requests.push_back(ethtool_request(family, command, netdev, flags));
    };
    switch (part) {
        case EthtoolPart::link:
            add(ETHTOOL_MSG_LINKMODES_GET, ETHTOOL_FLAG_COMPACT_BITSETS);
            add(ETHTOOL_MSG_LINKSTATE_GET, 0);
            break;
        case EthtoolPart::pause:
            add(ETHTOOL_MSG_PAUSE_GET, 0);
            break;
        case EthtoolPart::coalesce:
            add(ETHTOOL_MSG_COALESCE_GET, 0);
            break;
        case EthtoolPart::rings:
            add(ETHTOOL_MSG_RINGS_GET, 0);
            break;
        case EthtoolPart::channels:
            add(ETHTOOL_MSG_CHANNELS_GET, 0);
            break;
        case EthtoolPart::features:
            add(ETHTOOL_MSG_FEATURES_GET, 0);  // the long form carries the names
            break;
        case EthtoolPart::fec:
            add(ETHTOOL_MSG_FEC_GET, ETHTOOL_FLAG_COMPACT_BITSETS | ETHTOOL_FLAG_STATS);
            break;
    }
    return requests;
}

Result<Record> decode(EthtoolPart part, std::size_t request, Bytes attributes) {
    switch (part) {
        case EthtoolPart::link:
            return request == 0 ? decode_link_modes(attributes) : decode_link_state(attributes);
        case EthtoolPart::fec:
            return decode_fec(attributes);
        default:
            return decode_numbers(part, attributes);
    }
}

}  // namespace

EthtoolReader::EthtoolReader(EthtoolPart part, std::string netdev, std::string object)
    : part_(part), netdev_(std::move(netdev)), object_(std::move(object)) {}

Answer<std::uint16_t> ethtool_family() {
    Request request = generic_request(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1);
    request.text(CTRL_ATTR_FAMILY_NAME, ETHTOOL_GENL_NAME);
    Replies replies;
    if (auto answer = Netlink::of_this_thread(NETLINK_GENERIC).ask(request, replies); !answer)
        return tl::unexpected(answer.error());
    if (replies.size() == 0 || replies[0].payload.size() < GENL_HDRLEN) return refused(EBADMSG);
    const auto id = decode_family_id(replies[0].payload.subspan(GENL_HDRLEN));
    if (!id) return refused(EBADMSG, id.error().what);
    return *id;
}

Answer<> EthtoolReader::resolve() {
    const auto family = ethtool_family();
    if (!family) return tl::unexpected(family.error());
    requests_ = requests_for(part_, *family, netdev_);
    return {};
}

Result<std::string> EthtoolReader::read_by_netlink(Failure& refusal) {
    Record all;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
        if (auto answer = Netlink::of_this_thread(NETLINK_GENERIC).ask(requests_[i], replies_); !answer) {
            refusal = answer.error();
            // A driver may know one half of an answer only; every other refusal concerns the whole.
            if (refusal.errnum == EOPNOTSUPP) continue;
            return tl::unexpected(error_of(refusal, object_));
        }
        if (replies_.size() == 0 || replies_[0].payload.size() < GENL_HDRLEN) {
            return fail(Errc::bad_input, object_ + ": the answer is too short");
        }
        const Bytes attributes = replies_[0].payload.subspan(GENL_HDRLEN);
        const auto wrong = [this](const Error& error) { return fail(error.code, object_ + ": " + error.what); };
        if (part_ == EthtoolPart::features) {
            auto text = decode_features(attributes);
            if (!text) return wrong(text.error());
            return text;
        }
        auto record = decode(part_, i, attributes);
        if (!record) return wrong(record.error());
        for (const auto& [key, value] : record->fields()) all.set(key, value);
    }
    return all.empty() ? std::string() : all.text();
}

Result<std::string> EthtoolReader::read() {
    Failure refusal;
    if (requests_.empty()) {
        if (auto resolved = resolve(); !resolved) refusal = resolved.error();
    }
    if (!requests_.empty()) {
        auto text = read_by_netlink(refusal);
        if (!text || !text->empty() || refusal.errnum == 0) return text;
    }
    // The kernel has no such family (ENOENT) or message (EOPNOTSUPP, which is also what a driver without the setting says:
    // then the ioctl says it again).
    if (refusal.errnum == ENOENT || refusal.errnum == EOPNOTSUPP) {
        auto text = read_by_ioctl(part_, netdev_);
        if (text) return std::move(*text);
        refusal = text.error();
    }
    return tl::unexpected(error_of(refusal, object_));
}

}  // namespace rd
