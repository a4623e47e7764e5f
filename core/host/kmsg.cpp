// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/kmsg.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/base/text.h"
#include "core/host/host.h"

namespace rd {
namespace {

// The kernel's own maximum is 8,192; a smaller buffer than a record is refused.
constexpr std::size_t kRecordRoom = 16u << 10;
// A log that is written faster than it is read would never end.
constexpr int kMaxReads = 262'144;
constexpr std::size_t kMaxLines = 65'536;  // as many as parse_records takes

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

std::string unescaped(std::string_view text) {
    std::string plain;
    plain.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 3 < text.size() && text[i + 1] == 'x') {
            const int high = hex_digit(text[i + 2]);
            const int low = hex_digit(text[i + 3]);
            if (high >= 0 && low >= 0) {
                plain += static_cast<char>(high * 16 + low);
                i += 3;
                continue;
            }
        }
        plain += text[i];
    }
    return plain;
}

}  // namespace

Record decode_kmsg(std::string_view record) {
    const std::vector<std::string_view> all = lines(record);
    Record result;
    if (all.empty()) return result;
    const std::size_t semicolon = all[0].find(';');
    const std::string_view message = semicolon == std::string_view::npos ? all[0] : all[0].substr(semicolon + 1);
    if (semicolon != std::string_view::npos) {
        // priority,sequence,microseconds,flags and, from some kernels, more
        const auto head = split(all[0].substr(0, semicolon), ',');
        const auto priority = parse_counter(head[0]);
        const auto sequence = head.size() > 1 ? parse_counter(head[1]) : fail(Errc::bad_input, {});
        const auto time = head.size() > 2 ? parse_counter(head[2]) : fail(Errc::bad_input, {});
        if (priority && sequence && time) {
            result.set("level", static_cast<std::uint64_t>(*priority & 7));
            result.set("facility", static_cast<std::uint64_t>(*priority >> 3));
            result.set("seq", static_cast<std::uint64_t>(*sequence));
            result.set("us", static_cast<std::uint64_t>(*time));
        }
    }
    result.set("text", unescaped(message));
    for (std::size_t i = 1; i < all.size(); ++i) {
        const std::string_view field = trim(all[i]);
        if (starts_with(field, "SUBSYSTEM=")) result.set("subsystem", unescaped(field.substr(10)));
        if (starts_with(field, "DEVICE=")) result.set("device", unescaped(field.substr(7)));
    }
    return result;
}

void keep_newest_lines(std::string& text, std::size_t bytes, std::size_t max_lines) {
    std::size_t cut = text.size() > bytes ? text.size() - bytes : 0;
    if (cut > 0 && text[cut - 1] != '\n') {
        const std::size_t end = text.find('\n', cut);
        cut = end == std::string::npos ? text.size() : end + 1;
    }
    const auto from = text.begin() + static_cast<std::ptrdiff_t>(cut);
    auto surplus = static_cast<std::size_t>(std::count(from, text.end(), '\n'));
    for (; surplus > max_lines; --surplus) cut = text.find('\n', cut) + 1;
    text.erase(0, cut);
}

Result<Descriptor> open_kmsg(std::string_view object) {
    Descriptor log(::open(kKmsgPath, O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (log) return log;
    Error error = error_from_errno(errno, object);
    if (error.code == Errc::no_privilege) {
        error.remedy =
            "run as root or give CAP_SYSLOG (kernel.dmesg_restrict is on), and see that the kernel was not "
            "booted with printk.devkmsg=off";
    }
    return tl::unexpected(std::move(error));
}

Result<> KmsgReader::open() {
    if (!log_) {
        auto log = open_kmsg(object_);
        if (!log) return tl::unexpected(std::move(log.error()));
        log_ = std::move(*log);
    }
    if (::lseek(log_.get(), 0, SEEK_SET) < 0) return tl::unexpected(error_from_errno(errno, object_));
    return {};
}

Result<std::string> KmsgReader::read() {
    if (auto opened = open(); !opened) return tl::unexpected(std::move(opened.error()));
    std::array<char, kRecordRoom> record;
    std::string text;
    for (int i = 0; i < kMaxReads; ++i) {
        const ssize_t size = ::read(log_.get(), record.data(), record.size());
        if (size > 0) {
            text += decode_kmsg({record.data(), static_cast<std::size_t>(size)}).text();
            if (text.size() > 2 * kMaxAnswer) keep_newest_lines(text, kMaxAnswer, kMaxLines);
            continue;
        }
        // Records were overwritten before they could be read: the next ones follow, the gap shows in `seq`.
        if (size < 0 && (errno == EPIPE || errno == EINTR)) continue;
        if (size == 0 || errno == EAGAIN) break;
        const int errnum = errno;
        log_.reset();
        return tl::unexpected(error_from_errno(errnum, object_));
    }
    keep_newest_lines(text, kMaxAnswer, kMaxLines);
    return text;
}

}  // namespace rd
