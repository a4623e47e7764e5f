// SPDX-License-Identifier: GPL-2.0-or-later
// Requests as the HTTP library hands them over: a path, then an argument a line. Whatever is asked, the answer is a status and text.
// And orders: a path, and the rest is the body. Whatever is ordered, it is an order or an error that says what would be right.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/base/text.h"
#include "core/base/time.h"
#include "daemon/api/control.h"
#include "daemon/api/routes.h"
#include "tests/unit/daemon/scene.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rd::daemon;
    static const auto frame = std::make_shared<const Frame>(small_frame());
    static AlertDesk alerts([] {});
    alerts.close();  // lest it be waited for
    static MetricsText metrics;
    Request request;
    bool first = true;
    for (const std::string_view line : rd::lines({reinterpret_cast<const char*>(data), size})) {
        static_cast<void>(rd::parse_time(line));
        static_cast<void>(parse_entity(line));
        if (std::exchange(first, false)) {
            request.path = line;
            continue;
        }
        const auto equals = line.find('=');
        request.arguments[std::string(line.substr(0, equals))] =
            equals == std::string_view::npos ? std::string() : std::string(line.substr(equals + 1));
    }
    const std::string_view all(reinterpret_cast<const char*>(data), size);
    const auto end = std::min(all.find('\n'), all.size());
    const auto order = read_order(all.substr(0, end), all.substr(std::min(end + 1, all.size())), "root");
    if (!order && (order.error().what.empty() || order.error().remedy.empty())) std::abort();
    AlertBook book;
    if (order) static_cast<void>(carry_out(*order, book, {1'000'000'000, 1'764'547'200'000'000'000}));
    for (const char* store : {"", "/nonexistent/metrics.db"}) {
        const Reply reply = answer(request, {needs_frame(request) ? frame : nullptr, store, alerts}, metrics);
        if (reply.status < 200 || reply.status > 599 || reply.body.empty()) std::abort();
    }
    return 0;
}
