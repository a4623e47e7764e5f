// SPDX-License-Identifier: GPL-2.0-or-later
// One line for monitoring systems.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/render/page.h"
#include "cli/render/report.h"
#include "cli/render/words.h"
#include "core/base/escape.h"

namespace rd::cli {
namespace {

constexpr std::size_t kNpdWidth = 80;  // node-problem-detector cuts there by default

std::string where(const Finding& finding) {
    return finding.rule + (finding.subject.entity.kind == Kind::host ? "" : " on " + finding.subject.name);
}

// '|' separates text and performance data.
std::string one_line(std::string_view text) {
    std::string out = to_ascii(on_one_line(text));
    std::replace(out.begin(), out.end(), '|', '/');
    return out;
}

// Findings that do not count, in words that do not contradict an OK.
std::string uncounted(const std::vector<const Finding*>& findings, Severity fail_on) {
    const Severity limit = std::max(fail_on, Severity::low);
    const bool below = std::all_of(findings.begin(), findings.end(),
                                   [limit](const Finding* finding) { return finding->severity < limit; });
    return counted(findings.size(), "finding", "findings") +
           (below ? fmt::format(" below {}", name_of(limit)) : std::string(" not confirmed yet"));
}

std::string headline(const Report& report, int code, Severity fail_on) {
    if (code == 3) {
        const std::string unmade = counted(report.summary.unknown, "check", "checks") + " could not be made";
        return report.devices_known ? unmade : "RDMA devices could not be enumerated, " + unmade;
    }
    if (!report.findings.empty()) {
        std::vector<std::string> names, others;
        std::vector<const Finding*> left;
        for (const Finding& finding : report.findings) {
            if (counts(finding, fail_on)) {
                names.push_back(where(finding));
            } else {
                others.push_back(where(finding));
                left.push_back(&finding);
            }
        }
        if (names.empty()) return uncounted(left, fail_on) + ": " + some_of(others, 3);
        const std::string more = left.empty() ? "" : "; " + uncounted(left, fail_on);
        return counted(names.size(), "finding", "findings") + ": " + some_of(names, 3) + more;
    }
    if (report.devices == 0) return "no RDMA device found";
    return "nothing found on " + counted(report.devices, "RDMA device", "RDMA devices");
}

// Missing privilege alone is no reason to alarm anybody as long as the devices are seen. With none in sight nothing was looked at,
// and OK would be taken for a verdict.
int with_blindness(const Report& report, int code) { return code == 0 && !report.devices_known ? 3 : code; }

}  // namespace

int nagios_code(const Report& report, int code) { return with_blindness(report, code); }

std::string render_nagios(const Report& report, int code, Severity fail_on) {
    static constexpr std::string_view kWords[] = {"OK", "WARNING", "CRITICAL", "UNKNOWN"};
    std::map<Severity, std::size_t> totals;
    for (const Finding& finding : report.findings) ++totals[finding.severity];
    std::string data;
    for (const Severity severity : {Severity::critical, Severity::high, Severity::medium, Severity::low}) {
        data += fmt::format("{}={} ", name_of(severity), totals[severity]);
    }
    const int own = nagios_code(report, code);
    const std::size_t word = own >= 0 && own <= 3 ? static_cast<std::size_t>(own) : 3;
    return fmt::format("RDMA {} - {} | {}suspected={} quiet={} unknown={} needs_root={}\n", kWords[word],
                       one_line(headline(report, own, fail_on)), data, report.summary.suspected, report.summary.quiet,
                       report.summary.unknown, report.summary.needs_root);
}

std::string nagios_trouble(std::string_view what) { return "RDMA UNKNOWN - " + one_line(what) + "\n"; }

int npd_code(const Report& report, int code) {
    const int own = with_blindness(report, code);
    return own == 0 ? 0 : own == 1 || own == 2 ? 1 : kNpdUnknown;
}

std::string render_npd(const Report& report, int code, Severity fail_on) {
    std::string line = one_line(headline(report, with_blindness(report, code), fail_on));
    if (line.size() > kNpdWidth) line = line.substr(0, kNpdWidth - 3) + "...";
    return line + "\n";
}

std::string npd_trouble(std::string_view what) { return one_line(what) + "\n"; }

}  // namespace rd::cli
