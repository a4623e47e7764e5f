// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/rdma.h"

#include <linux/netlink.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/text.h"

namespace rd {
namespace {

using namespace nldev;

constexpr int kProtocol = 20;  // NETLINK_RDMA

std::uint16_t operation_of(RdmaPart part) {
    switch (part) {
        case RdmaPart::devices:
        case RdmaPart::device:
            return kGet;
        case RdmaPart::port:
            return kPortGet;
        case RdmaPart::resources:
            return kResGet;
        case RdmaPart::qp:
            return kResQpGet;
        case RdmaPart::cm_id:
            return kResCmIdGet;
        case RdmaPart::ctx:
            return kResCtxGet;
        case RdmaPart::cq:
            return kResCqGet;
        case RdmaPart::mr:
            return kResMrGet;
        case RdmaPart::mr_stat:
        case RdmaPart::stat:
            return kStatGet;
        case RdmaPart::system:
            break;
    }
    return kSysGet;
}

std::optional<RdmaTable> table_of(RdmaPart part) {
    switch (part) {
        case RdmaPart::qp:
            return RdmaTable::qp;
        case RdmaPart::cm_id:
            return RdmaTable::cm_id;
        case RdmaPart::ctx:
            return RdmaTable::ctx;
        case RdmaPart::cq:
            return RdmaTable::cq;
        case RdmaPart::mr:
            return RdmaTable::mr;
        case RdmaPart::mr_stat:
            return RdmaTable::mr_stat;
        default:
            return std::nullopt;
    }
}

Result<Record> decode(RdmaPart part, Bytes attributes) {
    switch (part) {
        case RdmaPart::port:
            return decode_rdma_port(attributes);
        case RdmaPart::resources:
            return decode_rdma_resources(attributes);
        case RdmaPart::stat:
            return decode_rdma_statistics(attributes);
        case RdmaPart::system:
            return decode_rdma_system(attributes);
        default:
            return decode_rdma_device(attributes);
    }
}

// Opening the socket makes the kernel load ib_core where it may, and reading must not change the host. Without a sysfs
// there is nothing to look at first.
bool core_is_missing() { return ::access("/sys/class", F_OK) == 0 && ::access("/sys/class/infiniband", F_OK) != 0; }

tl::unexpected<Error> no_core(const std::string& object) {
    return fail(Errc::not_supported, object + ": RDMA netlink: ib_core is not loaded",
                "load the driver of the RDMA device (for example: modprobe mlx5_ib), or modprobe ib_core");
}

}  // namespace

RdmaReader::RdmaReader(RdmaPart part, std::string device, std::uint32_t port, std::string object)
    : part_(part), device_(std::move(device)), port_(port), object_(std::move(object)) {
    if (part_ == RdmaPart::devices) request_.emplace(message_type(kGet), NLM_F_DUMP);
    if (part_ == RdmaPart::system) request_.emplace(message_type(kSysGet), std::uint16_t{0});
}

tl::unexpected<Error> RdmaReader::error(const Failure& failure) const {
    // Refused: it was unloaded while we were connected.
    if (failure.errnum == EPROTONOSUPPORT || failure.errnum == ECONNREFUSED) return no_core(object_);
    if (failure.errnum == EINVAL) {
        // The arguments are known to be good: this is how old kernels refuse what they do not know, and how the kernel says
        // that a driver has no statistics.
        return fail(Errc::not_supported, object_ + ": the kernel or the driver of this device does not offer this");
    }
    return tl::unexpected(error_of(failure, object_));
}

Result<std::string> RdmaReader::read_devices() {
    if (auto answer = Netlink::of_this_thread(kProtocol).ask(*request_, replies_); !answer)
        return error(answer.error());
    std::string text;
    for (std::size_t i = 0; i < replies_.size(); ++i) {
        auto record = decode(part_, replies_[i].payload);
        if (!record) return fail(record.error().code, object_ + ": " + record.error().what);
        text += record->text();
    }
    return text;
}

Result<> RdmaReader::find_device() {
    Request all(message_type(kGet), NLM_F_DUMP);
    if (auto answer = Netlink::of_this_thread(kProtocol).ask(all, replies_); !answer) return error(answer.error());
    for (std::size_t i = 0; i < replies_.size(); ++i) {
        auto device = decode_rdma_identity(replies_[i].payload);
        if (!device) return fail(device.error().code, object_ + ": " + device.error().what);
        if (device->name != device_) continue;
        if (port_ > device->ports) {
            return fail(Errc::not_found, object_ + ": the device has " + std::to_string(device->ports) + " port(s)");
        }
        request_.emplace(message_type(operation_of(part_)),
                         table_of(part_) ? std::uint16_t{NLM_F_DUMP} : std::uint16_t{0});
        request_->u32(kDevIndex, device->index);
        if (port_ != 0) request_->u32(kPortIndex, port_);
        if (part_ == RdmaPart::mr_stat) request_->u32(kStatRes, kResMr);
        return {};
    }
    return fail(Errc::not_found, object_ + ": no RDMA device of this name in this network namespace");
}

bool RdmaReader::is_ours(Bytes attributes) const {
    const auto device = decode_rdma_identity(attributes);
    return !device || device->name.empty() || device->name == device_;
}

Result<std::optional<std::string>> RdmaReader::read_one() {
    if (auto answer = Netlink::of_this_thread(kProtocol).ask(*request_, replies_); !answer)
        return error(answer.error());
    if (replies_.size() == 0) return fail(Errc::bad_input, object_ + ": empty answer");
    if (!is_ours(replies_[0].payload)) return std::nullopt;
    auto record = decode(part_, replies_[0].payload);
    if (!record) return fail(record.error().code, object_ + ": " + record.error().what);
    return record->text();
}

Result<std::optional<std::string>> RdmaReader::read_table(RdmaTable table) {
    RdmaTableText text(table, kMaxEntries);
    Result<> decoded;
    bool ours = true;
    const auto answer = Netlink::of_this_thread(kProtocol).converse(*request_, [&](const Message& message) {
        ours = is_ours(message.payload);
        if (ours) decoded = text.add(message.payload);
        return ours && decoded && !text.full();
    });
    if (!ours) return std::nullopt;
    if (!decoded) return fail(decoded.error().code, object_ + ": " + decoded.error().what);
    if (answer) return text.text();
    // One queue pair that cannot be queried ends the whole dump: what came before it is still true.
    if (text.empty()) return error(answer.error());
    return text.text(error_of(answer.error(), "the table ended early").what);
}

Result<std::optional<std::string>> RdmaReader::read_device() {
    const auto table = table_of(part_);
    return table ? read_table(*table) : read_one();
}

Result<std::string> RdmaReader::read() {
    // Only before it is opened: two paths looked up for each answer are a good part of its cost.
    if (!Netlink::of_this_thread(kProtocol).is_open() && core_is_missing()) return no_core(object_);
    if (part_ == RdmaPart::devices) return read_devices();
    if (part_ == RdmaPart::system) {
        auto text = read_one();
        if (!text) return tl::unexpected(std::move(text.error()));
        return std::move(**text);
    }
    // An index that was looked up before may be stale: the device went, or came back under another one.
    const bool remembered = request_.has_value();
    if (remembered) {
        auto text = read_device();
        if (text && *text) return std::move(**text);
        if (!text && text.error().code != Errc::not_supported && text.error().code != Errc::not_found) {
            return tl::unexpected(std::move(text.error()));
        }
    }
    if (auto found = find_device(); !found) {
        request_.reset();
        return tl::unexpected(std::move(found.error()));
    }
    auto text = read_device();
    if (!text) return tl::unexpected(std::move(text.error()));
    if (!*text) return fail(Errc::io, object_ + ": the device was renamed while it was read");
    return std::move(**text);
}

}  // namespace rd
