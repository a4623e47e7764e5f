// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/render/origin.h"

#include <algorithm>
#include <map>
#include <set>

#include "cli/render/words.h"
#include "core/base/text.h"

namespace rd::cli {
namespace {

constexpr std::size_t kFormsShown = 12;
constexpr std::size_t kPlacesShown = 3;
constexpr std::size_t kPastesShown = 8;
constexpr std::size_t kUnrecognisedShown = 5;

std::string place_of(const std::string& file, std::size_t line, std::size_t lines) {
    std::string place = file.empty() ? "" : file + " ";
    place += lines > 1 ? "lines " + std::to_string(line) + "–" + std::to_string(line + lines - 1)
                       : "line " + std::to_string(line);
    return place;
}

// "ibstat (lines 3–20), ethtool -S (line 25 and 3 more)"
std::string recognised_text(const ingest::IngestedHost& host) {
    std::vector<std::string> names;
    std::map<std::string, std::vector<const ingest::Recognised*>> by_form;
    for (const ingest::Recognised& one : host.recognised) {
        if (by_form[one.form].empty()) names.push_back(one.form);
        by_form[one.form].push_back(&one);
    }
    std::vector<std::string> parts;
    for (const std::string& name : names) {
        if (parts.size() == kFormsShown) {
            parts.push_back(std::to_string(names.size() - kFormsShown) + " more");
            break;
        }
        const auto& all = by_form[name];
        std::vector<std::string> places;
        for (std::size_t i = 0; i < std::min(all.size(), kPlacesShown); ++i) {
            places.push_back(place_of(all[i]->file, all[i]->line, all[i]->lines));
        }
        if (all.size() > kPlacesShown) places.push_back(std::to_string(all.size() - kPlacesShown) + " more");
        parts.push_back(name + " (" + joined(places, ", ") + ")");
    }
    if (host.kernel_lines > 0) parts.push_back(counted(host.kernel_lines, "line", "lines") + " of the kernel log");
    if (host.log_lines > 0) parts.push_back(counted(host.log_lines, "line", "lines") + " of application logs");
    return joined(parts, ", ");
}

std::string unrecognised_text(const ingest::Ingested& whole) {
    std::vector<std::string> parts;
    for (const ingest::Unrecognised& one : whole.unrecognised) {
        if (parts.size() == kUnrecognisedShown) {
            parts.push_back(std::to_string(whole.unrecognised.size() - kUnrecognisedShown) +
                            " more places (--json lists them)");
            break;
        }
        parts.push_back(place_of(one.file, one.line, one.lines) + " (" + one.words + ")");
    }
    return joined(parts, ", ");
}

}  // namespace

void print_origin_header(Page& page, const Report& report, const Origin& origin) {
    std::vector<Page::Piece> head{{report.tool, Paint::bold}, {" on "}};
    head.push_back(
        {report.host.hostname.empty() ? "a host that the text does not name" : report.host.hostname, Paint::bold});
    if (!report.host.kernel.empty()) head.push_back({", Linux " + report.host.kernel});
    page.line(0, head);
    std::string about = "from " + (report.host.source == "-" ? "standard input" : report.host.source) + " · ";
    if (report.sweeps < 2) {
        about += "everything in it once, so no rates";
    } else {
        const auto window = std::chrono::nanoseconds(report.to.boot_ns - report.from.boot_ns);
        about += counted(report.sweeps, "reading", "readings") + " over " + seconds_text(window);
        if (origin.host.interval_assumed) about += ", which is assumed: the text does not say how far they are apart";
    }
    if (report.to.wall_ns != 0) about += ", until " + rfc3339(report.to.wall_ns);
    page.prose(0, about, Paint::dim);
}

void print_pastes(Page& page, const Report& report) {
    if (report.unknown.empty()) return;
    // A check may lack several facts; each of the pastes that it waits for is named with it.
    std::map<std::string, std::set<std::string>> rules_of;
    for (const Unknown& unknown : report.unknown) {
        for (const NamedMissing& item : unknown.missing) {
            if (!item.missing.gap.remedy.empty()) rules_of[item.missing.gap.remedy].insert(unknown.rule);
        }
    }
    std::vector<std::pair<std::string, std::size_t>> pastes;
    for (const auto& [remedy, rules] : rules_of) pastes.emplace_back(remedy, rules.size());
    std::stable_sort(pastes.begin(), pastes.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    page.line(0, "Not in the text: " + counted(report.unknown.size(), "check lacks", "checks lack") + " facts",
              Paint::bold);
    for (std::size_t i = 0; i < std::min(pastes.size(), kPastesShown); ++i) {
        page.prose(2, pastes[i].first + " (" + counted(pastes[i].second, "check", "checks") + ")", Paint::yellow);
    }
    if (pastes.size() > kPastesShown) {
        page.line(2, "and " + std::to_string(pastes.size() - kPastesShown) + " more (--json lists all)", Paint::dim);
    }
    page.blank();
}

void print_origin(Page& page, const Origin& origin) {
    const std::string recognised = recognised_text(origin.host);
    if (!recognised.empty()) page.prose(0, "Understood: " + recognised, Paint::dim);
    if (origin.whole.unrecognised_lines > 0) {
        page.prose(0,
                   "Not understood: " + counted(origin.whole.unrecognised_lines, "line", "lines") + ": " +
                       unrecognised_text(origin.whole),
                   Paint::dim);
    }
    for (const auto* notes : {&origin.host.notes, &origin.whole.notes}) {
        for (const std::string& note : *notes) page.prose(0, "Note: " + note, Paint::dim);
    }
    page.blank();
}

}  // namespace rd::cli
