// SPDX-License-Identifier: GPL-2.0-or-later
// One line for monitoring systems.
#include <fmt/format.h>

#include <map>

#include "cli/render/page.h"
#include "cli/render/report.h"
#include "cli/render/words.h"

namespace rd::cli {
namespace {

constexpr std::size_t kNpdWidth = 80;  // node-problem-detector cuts there by default

std::string where(const Finding& finding) {
    return finding.rule + (finding.subject.entity.kind == Kind::host ? "" : " on " + finding.subject.name);
}

// '|' separates text and performance data; line ends would start another line.
std::string one_line(std::string_view text) {
    std::string out = to_ascii(harmless(text));
    for (char& letter : out) {
        if (letter == '|') letter = '/';
        if (letter == '\n') letter = ' ';
    }
    return out;
}

std::string headline(const Report& report, int code) {
    if (code == 3) return counted(report.summary.unknown, "check", "checks") + " could not be made";
    if (!report.findings.empty()) {
        std::vector<std::string> names;
        for (const Finding& finding : report.findings) names.push_back(where(finding));
        return counted(names.size(), "finding", "findings") + ": " + some_of(names, 3);
    }
    if (!report.devices_known) return "RDMA devices could not be enumerated";
    if (report.devices == 0) return "no RDMA device found";
    return "nothing found on " + counted(report.devices, "RDMA device", "RDMA devices");
}

}  // namespace

std::string render_nagios(const Report& report, int code) {
    static constexpr std::string_view kWords[] = {"OK", "WARNING", "CRITICAL", "UNKNOWN"};
    std::map<Severity, std::size_t> counts;
    for (const Finding& finding : report.findings) ++counts[finding.severity];
    std::string data;
    for (const Severity severity : {Severity::critical, Severity::high, Severity::medium, Severity::low}) {
        data += fmt::format("{}={} ", name_of(severity), counts[severity]);
    }
    const std::size_t word = code >= 0 && code <= 3 ? static_cast<std::size_t>(code) : 3;
    return fmt::format("RDMA {} - {} | {}suspected={} quiet={} unknown={} needs_root={}\n", kWords[word],
                       one_line(headline(report, code)), data, report.summary.suspected, report.summary.quiet,
                       report.summary.unknown, report.summary.needs_root);
}

int npd_code(int code) { return code == 0 ? 0 : code == 1 || code == 2 ? 1 : 2; }

std::string render_npd(const Report& report, int code) {
    std::string line = one_line(headline(report, code));
    if (line.size() > kNpdWidth) line = line.substr(0, kNpdWidth - 3) + "...";
    return line + "\n";
}

}  // namespace rd::cli
