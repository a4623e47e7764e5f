// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/events/kmsg_follow.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "core/base/log_line.h"
#include "core/base/text.h"
#include "core/host/descriptor.h"
#include "core/host/identity.h"
#include "core/host/kmsg.h"

namespace rd::events {
namespace {

constexpr std::size_t kRecordRoom = 16u << 10;  // twice the kernel's own maximum
constexpr std::int64_t kWarning = 4;

// As `dmesg --decode` has them.
constexpr std::array<std::string_view, 8> kLevels{"emerg", "alert", "crit", "err", "warn", "notice", "info", "debug"};

std::optional<std::int64_t> number(const Record& record, std::string_view key) {
    const auto text = record.get(key);
    const auto value = text ? parse_counter(*text) : fail(Errc::bad_input, {});
    return value ? std::optional<std::int64_t>(*value) : std::nullopt;
}

// "+pci:0000:41:00.0" is device 0000:41:00.0 of the bus pci. Others (c1:3, b8:0, n7) are numbers, which stay as they are.
std::string device_name(std::string_view device) {
    if (device.empty() || device.front() != '+') return std::string(device);
    return std::string(device.substr(std::min(device.find(':'), device.size() - 1) + 1));
}

class KmsgInbox final : public Inbox {
public:
    explicit KmsgInbox(Descriptor log) : log_(std::move(log)) {}
    int fd() const override { return log_.get(); }
    Result<Got> receive(Bytes& message) override {
        for (;;) {
            const ssize_t size = ::read(log_.get(), record_.data(), record_.size());
            if (size > 0) {
                message = Bytes(record_).first(static_cast<std::size_t>(size));
                return Got::message;
            }
            if (size < 0 && errno == EINTR) continue;
            if (size < 0 && errno == EPIPE) return Got::overrun;
            if (size == 0 || errno == EAGAIN) return Got::nothing;
            return tl::unexpected(error_from_errno(errno, kKmsgPath));
        }
    }

private:
    Descriptor log_;
    std::array<std::byte, kRecordRoom> record_{};
};

}  // namespace

Result<> KmsgDecoder::take(Bytes bytes, Events& out) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const Record record = decode_kmsg(text);
    const auto sequence = number(record, "seq");
    const auto level = number(record, "level");
    if (!sequence || !level) return fail(Errc::bad_input, "kmsg: a record without a head: '" + printable(text) + "'");
    const auto now = static_cast<std::uint64_t>(*sequence);
    if (overrun_ || (last_ && now > *last_ + 1)) {
        HostEvent event;
        event.name = "overrun";
        if (last_ && now > *last_) event.details.emplace_back("lost", std::to_string(now - *last_ - 1));
        out.push_back(std::move(event));
        overrun_ = false;
    }
    last_ = now;
    const std::string words = record.get("text").value_or(std::string());
    // Of others than the kernel (facility 0) come the lines that programs write there.
    if (record.get("facility") != "0" || (*level > kWarning && !may_concern_rdma(words))) return {};
    HostEvent event;
    event.name = kLevels[static_cast<std::size_t>(*level)];
    event.subject = device_name(record.get("device").value_or(std::string()));
    event.details.emplace_back("text", words);
    for (const char* key : {"level", "seq", "us", "device", "subsystem"}) {
        if (auto value = record.get(key)) event.details.emplace_back(key, std::move(*value));
    }
    out.push_back(std::move(event));
    return {};
}

void KmsgDecoder::overrun(std::optional<std::uint64_t>, Events&) { overrun_ = true; }

}  // namespace rd::events

namespace rd {

EventSourceResult kmsg_events() {
    auto log = open_kmsg("kmsg");
    if (!log) return tl::unexpected(std::move(log.error()));
    if (::lseek(log->get(), 0, SEEK_END) < 0) return tl::unexpected(error_from_errno(errno, kKmsgPath));
    return events::inbox_source({"kmsg", std::make_unique<events::KmsgInbox>(std::move(*log)),
                                 std::make_unique<events::KmsgDecoder>(), current_stamp});
}

}  // namespace rd
