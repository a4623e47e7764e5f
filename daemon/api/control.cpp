// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/api/control.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pwd.h>

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "core/base/nearest.h"
#include "core/base/text.h"
#include "daemon/api/from_frame.h"

namespace rd::daemon {
namespace {

constexpr std::string_view kAckKeys[] = {"fingerprint", "comment", "by"};
constexpr std::string_view kSilenceKeys[] = {"rule", "subject", "severity", "for", "comment", "by"};
constexpr std::string_view kUnsilenceKeys[] = {"id", "by"};

// The body as it is written: an object of texts. Keys that the order does not know are refused, for a slip in "subject" would silence
// everything.
class Body {
public:
    static Result<Body> read(std::string_view text, std::span<const std::string_view> known) {
        Json json = Json::parse(text, nullptr, false);
        if (!json.is_object())
            return fail(Errc::bad_input, "the body is no JSON object",
                        fmt::format(R"(such as {{"{}": "…"}})", known.front()));
        Body body;
        for (const auto& [key, value] : json.items()) {
            if (std::find(known.begin(), known.end(), key) == known.end()) {
                std::string remedy = did_you_mean(key, std::vector<std::string_view>(known.begin(), known.end()));
                if (remedy.empty()) remedy = fmt::format("there are {}", fmt::join(known, ", "));
                return fail(Errc::bad_input, fmt::format("no such key: '{}'", printable(key)), std::move(remedy));
            }
            if (!value.is_string()) return fail(Errc::bad_input, fmt::format("{}: not a text", key), "quote it");
            body.texts_[key] = value.get<std::string>();
        }
        return body;
    }
    [[nodiscard]] std::string text(std::string_view key) const {
        const auto found = texts_.find(key);
        return found == texts_.end() ? std::string() : found->second;
    }
    // "alice (root)"
    [[nodiscard]] std::string signature(std::string_view who) const {
        const std::string by = text("by");
        return by.empty() || by == who ? std::string(who) : fmt::format("{} ({})", by, who);
    }

private:
    std::map<std::string, std::string, std::less<>> texts_;
};

Result<Order> read_ack(const Body& body, std::string_view who) {
    if (body.text("fingerprint").empty())
        return fail(Errc::bad_input, "fingerprint is missing", "/v1/alerts on the other socket has them");
    return AckOrder{body.text("fingerprint"), body.signature(who), body.text("comment")};
}

Result<Order> read_silence(const Body& body, std::string_view who) {
    SilenceOrder order;
    const std::string lasts = body.text("for");
    const auto time = parse_duration(lasts);
    if (!time || time->count() <= 0) {
        return fail(Errc::bad_input, fmt::format("for: not a time that a silence could last: '{}'", printable(lasts)),
                    R"("for": "2h")");
    }
    order.lasts = *time;
    if (body.text("rule").empty() && body.text("subject").empty() && body.text("severity").empty()) {
        return fail(Errc::bad_input, "nothing says what is to be silent", R"(one of "rule", "subject", "severity")");
    }
    if (const std::string severity = body.text("severity");
        !severity.empty() && !severity_from_name(severity, order.silence.severity.emplace())) {
        return fail(Errc::bad_input, fmt::format("severity: no such one: '{}'", printable(severity)),
                    "info, low, medium, high or critical");
    }
    order.silence.rule = body.text("rule");
    order.silence.subject = body.text("subject");
    order.silence.by = body.signature(who);
    order.silence.comment = body.text("comment");
    return order;
}

Result<Order> read_unsilence(const Body& body, std::string_view who) {
    if (body.text("id").empty())
        return fail(Errc::bad_input, "id is missing", "/v1/alerts on the other socket has them");
    return UnsilenceOrder{body.text("id"), body.signature(who)};
}

struct Route {
    std::string_view path, name;
    std::span<const std::string_view> keys;
    Result<Order> (*read)(const Body&, std::string_view);
};
// In the order of the variant.
constexpr Route kRoutes[] = {{"/v1/alerts/ack", "ack", kAckKeys, read_ack},
                             {"/v1/alerts/silence", "silence", kSilenceKeys, read_silence},
                             {"/v1/alerts/unsilence", "unsilence", kUnsilenceKeys, read_unsilence}};

}  // namespace

Result<Order> read_order(std::string_view path, std::string_view text, std::string_view who) {
    std::vector<std::string_view> known;
    for (const Route& route : kRoutes) {
        known.push_back(route.path);
        if (route.path != path) continue;
        const auto body = Body::read(text, route.keys);
        if (!body) return tl::unexpected(body.error());
        return route.read(*body, who);
    }
    return fail(Errc::not_found, fmt::format("no such order: {}", printable(path)),
                fmt::format("there are {}", fmt::join(known, " ")));
}

Reply done_reply(const Order& order, const Done& done) {
    Json out = document();
    out["done"] = kRoutes[order.index()].name;
    out["id"] = done.id;
    if (done.until_ns != 0) out["until"] = rfc3339(done.until_ns);
    return {200, json_text(out), std::string(kJson)};
}

Reply take_order(const Request& request, std::string_view who, AlertDesk& desk) {
    if (const auto fit = only_arguments(request.arguments, {}); !fit) return failure(fit.error());
    const auto order = read_order(request.path, request.body, who);
    if (!order) return failure(order.error());
    const auto done = desk.order(*order, kOrderPatience);
    return done ? done_reply(*order, *done) : failure(done.error());
}

std::string user_name(std::uint32_t uid) {
    passwd entry{};
    passwd* found = nullptr;
    char names[4096];
    if (::getpwuid_r(uid, &entry, names, sizeof names, &found) != 0 || found == nullptr)
        return fmt::format("uid {}", uid);
    return entry.pw_name;
}

}  // namespace rd::daemon
