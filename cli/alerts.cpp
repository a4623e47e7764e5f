// SPDX-License-Identifier: GPL-2.0-or-later
// What the daemon alerts to, and what it is to be silent of.
#include <cstdlib>

#include "cli/client.h"
#include "cli/commands.h"
#include "cli/render/alerts.h"

namespace rd::cli {
namespace {

// Who is behind root: the daemon sees only that it is root.
std::string somebody() {
    const char* user = std::getenv("SUDO_USER");
    return user == nullptr ? "" : user;
}

Answer tell(const std::string& socket, const Order& wanted) {
    const auto body = order(socket, wanted.path, wanted.body);
    if (!body) {
        Error error = body.error();
        if (error.code == Errc::no_privilege) error.remedy = wanted.as_root;
        return answer_from(failure_of(error));
    }
    const auto text = render_done(*body);
    if (!text) return answer_from(failure_of(text.error()));
    return {0, *text, {}};
}

}  // namespace

Answer run(const AlertsListOptions& options, const Console&) {
    const auto body = ask(options.socket, "/v1/alerts", {});
    if (!body) return answer_from(failure_of(body.error()));
    if (options.json) return {0, *body, {}};
    const auto text = render_alerts(*body);
    if (!text) return answer_from(failure_of(text.error()));
    return {0, *text, {}};
}

Answer run(const AlertsAckOptions& options, const Console&) {
    return tell(options.socket, order_of(options, somebody()));
}

Answer run(const AlertsSilenceOptions& options, const Console&) {
    return tell(options.socket, order_of(options, somebody()));
}

}  // namespace rd::cli
