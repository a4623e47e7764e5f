// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/alerts/journal.h"

#include <fmt/format.h>
#include <sys/uio.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#include "core/base/escape.h"
#include "core/base/text.h"

namespace rd::daemon {
namespace {

std::string_view id_of(Deed deed) {
    switch (deed) {
        case Deed::raise:
            return kRaisedId;
        case Deed::update:
            return kUpdatedId;
        case Deed::clear:
            break;
    }
    return kClearedId;
}

}  // namespace

std::string alert_line(const Action& action) {
    const Alert& alert = action.alert;
    std::string line(name_of(action.deed));
    if (action.deed == Deed::update) line += fmt::format(" ({})", name_of(action.reason));
    line += fmt::format(": {}", alert.title);
    if (!alert.subject.name.empty()) line += fmt::format(": {}", alert.subject.name);
    line += fmt::format(" ({})", name_of(alert.severity));
    if (alert.flapping) line += fmt::format(", came {} times", alert.times);
    if (!alert.consequences.empty()) line += fmt::format(", with {} consequences", alert.consequences.size());
    return on_one_line(line);
}

int priority_of(const Action& action) {
    if (action.deed == Deed::clear) return 6;
    switch (action.alert.severity) {
        case Severity::critical:
            return 2;
        case Severity::high:
            return 3;
        case Severity::medium:
            return 4;
        case Severity::low:
            return 5;
        case Severity::info:
            break;
    }
    return 6;
}

std::vector<std::string> journal_fields(const Action& action) {
    const Alert& alert = action.alert;
    std::vector<std::string> out;
    const auto put = [&](std::string_view key, std::string_view value) {
        out.push_back(fmt::format("{}={}", key, value));
    };
    put("MESSAGE", alert_line(action));
    put("MESSAGE_ID", id_of(action.deed));
    put("PRIORITY", std::to_string(priority_of(action)));
    put("SYSLOG_IDENTIFIER", "rdmadoctord");
    put("RDMADOCTOR_ALERT", alert.name);
    put("RDMADOCTOR_ACTION", name_of(action.deed));
    put("RDMADOCTOR_REASON", name_of(action.reason));
    put("RDMADOCTOR_RULE", alert.rule);
    put("RDMADOCTOR_SUBJECT", alert.subject.name);
    put("RDMADOCTOR_SUBJECT_KIND", name_of(alert.subject.entity.kind));
    put("RDMADOCTOR_SUBJECT_ID", alert.subject.entity.id);
    put("RDMADOCTOR_SEVERITY", name_of(alert.severity));
    put("RDMADOCTOR_STATE", alert.flapping ? "flapping" : alert.firing ? "firing" : "over");
    put("RDMADOCTOR_FINGERPRINT", alert.fingerprint);
    put("RDMADOCTOR_SINCE", rfc3339(alert.since.wall_ns));
    put("RDMADOCTOR_TIMES", std::to_string(alert.times));
    put("RDMADOCTOR_TEXT", alert.text);
    for (const std::string& line : alert.evidence) put("RDMADOCTOR_EVIDENCE", line);
    for (const std::string& line : alert.consequences) put("RDMADOCTOR_CONSEQUENCE", line);
    if (alert.acknowledged) put("RDMADOCTOR_ACKNOWLEDGED_BY", alert.acknowledged->by);
    return out;
}

void Journal::write(const Action& action) const {
    // libsystemd drops entries without a word while there is no journal.
    if (!foreground_ && ::access(socket_.c_str(), W_OK) == 0) {
        std::vector<std::string> fields = journal_fields(action);
        std::vector<iovec> parts;
        parts.reserve(fields.size());
        for (std::string& field : fields) parts.push_back({field.data(), field.size()});
        if (::sd_journal_sendv(parts.data(), static_cast<int>(parts.size())) == 0) return;
    }
    const std::string line = alert_line(action) + "\n";
    (void)!::write(STDERR_FILENO, line.data(), line.size());  // where nobody reads it there is nobody to tell
}

}  // namespace rd::daemon
