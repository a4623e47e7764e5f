// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "cli/render/page.h"
#include "cli/render/report.h"
#include "cli/render/words.h"
#include "core/base/escape.h"
#include "core/base/text.h"

namespace rd::cli {
namespace {

// What XML forbids is shown like what steers a terminal (core/base/escape.h).
std::string escaped(std::string_view text) {
    std::string out;
    for (const char letter : harmless(text)) {
        switch (letter) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += letter;
        }
    }
    return out;
}

std::string detail(const Finding& finding) {
    std::string text = on_one_line(finding.subject.name) + ": " + finding.explanation + "\n";
    for (const NamedEvidence& item : finding.evidence) {
        text +=
            "  " + on_one_line(item.entity_name + " " + item.evidence.fact + " " + evidence_text(item.evidence)) + "\n";
    }
    return text;
}

}  // namespace

std::string render_junit(const Report& report, const Rulebook& book, Severity fail_on) {
    std::map<std::string_view, std::vector<const Finding*>> failed;
    for (const Finding& finding : report.findings) failed[finding.rule].push_back(&finding);
    std::map<std::string_view, std::size_t> unknown;
    for (const Unknown& item : report.unknown) ++unknown[item.rule];

    std::string cases;
    std::size_t failures = 0;
    std::size_t skipped = 0;
    for (const Rule& rule : book.rules) {
        cases +=
            fmt::format("    <testcase classname=\"rdmadoctor.{}\" name=\"{}\"", name_of(rule.scope), escaped(rule.id));
        if (const auto found = failed.find(rule.id); found != failed.end()) {
            std::string body;
            for (const Finding* finding : found->second) body += detail(*finding);
            const auto counting = [fail_on](const Finding* finding) { return counts(*finding, fail_on); };
            if (std::none_of(found->second.begin(), found->second.end(), counting)) {
                // A failure that the exit code does not know of would fail the build nevertheless.
                ++skipped;
                cases += fmt::format(
                    ">\n      <skipped message=\"does not count: {}, {}\">{}</skipped>\n    </testcase>\n",
                    name_of(found->second.front()->severity), escaped(on_one_line(rule.title)), escaped(body));
                continue;
            }
            ++failures;
            cases +=
                fmt::format(">\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>\n",
                            name_of(found->second.front()->severity), escaped(on_one_line(rule.title)), escaped(body));
        } else if (!rule.enabled) {
            ++skipped;
            cases += fmt::format(">\n      <skipped message=\"disabled: {}\"/>\n    </testcase>\n",
                                 escaped(on_one_line(rule.disabled_because)));
        } else if (const auto lacking = unknown.find(rule.id); lacking != unknown.end()) {
            ++skipped;
            cases += fmt::format(">\n      <skipped message=\"unknown on {}\"/>\n    </testcase>\n",
                                 counted(lacking->second, "subject", "subjects"));
        } else {
            cases += "/>\n";
        }
    }
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites>\n"
        "  <testsuite name=\"rdmadoctor\" hostname=\"{}\" timestamp=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" "
        "skipped=\"{}\">\n{}  </testsuite>\n</testsuites>\n",
        escaped(on_one_line(report.host.hostname)), rfc3339(report.to.wall_ns), book.rules.size(), failures, skipped,
        cases);
}

}  // namespace rd::cli
