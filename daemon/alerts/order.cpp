// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/alerts/order.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace rd::daemon {
namespace {

std::string because(const std::string& comment) { return comment.empty() ? "" : ": " + comment; }

std::string what(const Silence& silence) {
    std::string text;
    const auto add = [&](std::string_view part, std::string_view value) {
        if (!value.empty()) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", part, value);
    };
    add("rule", silence.rule);
    add("subject", silence.subject);
    if (silence.severity) add("severity", name_of(*silence.severity));
    return text;
}

Result<Done> carry_out(const AckOrder& order, AlertBook& book, Stamp now) {
    auto actions = book.acknowledge(order.fingerprint, order.by, order.comment, now);
    if (!actions) return tl::unexpected(std::move(actions.error()));
    return Done{order.fingerprint, 0, std::move(*actions),
                fmt::format("alert {} is acknowledged by {}{}", order.fingerprint, order.by, because(order.comment))};
}

Result<Done> carry_out(const SilenceOrder& order, AlertBook& book, Stamp now) {
    if (order.lasts > kLongestSilence) {
        return fail(Errc::bad_input, "a silence lasts a year at most", "what is never to be told is a rule to disable");
    }
    Silence silence = order.silence;
    silence.until = {now.boot_ns + order.lasts.count(), now.wall_ns + order.lasts.count()};
    std::string note = fmt::format("until {} {} is silenced by {}{}", rfc3339(silence.until.wall_ns), what(silence),
                                   silence.by, because(silence.comment));
    const std::int64_t until = silence.until.wall_ns;
    auto id = book.silence(std::move(silence), now);
    if (!id) return tl::unexpected(std::move(id.error()));
    return Done{std::move(*id), until, {}, std::move(note)};
}

Result<Done> carry_out(const UnsilenceOrder& order, AlertBook& book, Stamp now) {
    auto actions = book.unsilence(order.id, now);
    if (!actions) return tl::unexpected(std::move(actions.error()));
    return Done{order.id, 0, std::move(*actions), fmt::format("silence {} is ended by {}", order.id, order.by)};
}

}  // namespace

Result<Done> carry_out(const Order& order, AlertBook& book, Stamp now) {
    return std::visit([&](const auto& one) { return carry_out(one, book, now); }, order);
}

}  // namespace rd::daemon
