// SPDX-License-Identifier: GPL-2.0-or-later
// What the daemon has kept of what a report found, and of what it did not find.
#include "cli/render/past_text.h"

#include "cli/render/words.h"

namespace rd::cli {
namespace {

constexpr std::size_t kNotNowShown = 12;
constexpr std::size_t kEventsShown = 6;

std::string times_text(const Recurrence& past) {
    std::string text = "fired " + (past.times == 1 ? "once" : std::to_string(past.times) + " times");
    text += (past.times == 1 ? ", " : " since ") + day_text(past.first_ns);
    if (past.cleared_ns) text += ", last cleared " + day_text(*past.cleared_ns);
    return text;
}

std::string event_text(const ToldEvent& event) {
    std::string text = event.source + " " + event.name;
    if (event.times > 1) text += " ×" + std::to_string(event.times);
    return text + " (last " + day_text(event.last_ns) + ")";
}

std::string not_now_text(const NotNow& one) {
    std::string text = upper(name_of(one.severity)) + ": " + one.title + " — " +
                       (one.subject.entity.kind == Kind::host
                            ? "this host"
                            : std::string(name_of(one.subject.entity.kind)) + " " + one.subject.name) +
                       " · " + one.rule + ": " + times_text(one.recurrence);
    if (!one.to_ns) text += "; the daemon sees it still, this look did not";
    return text;
}

}  // namespace

void print_recurrence(Page& page, int indent, const Finding& finding) {
    // That it began once and goes on is told where it says since when.
    if (const auto& past = finding.recurrence; past && (past->times > 1 || !past->goes_on))
        page.prose(indent, times_text(*past), Paint::dim);
    std::vector<std::string> told;
    for (const ToldEvent& event : finding.told) told.push_back(event_text(event));
    if (!told.empty()) page.prose(indent, "the kernel told of it: " + some_of(told, kEventsShown), Paint::dim);
}

void print_not_now(Page& page, const Report& report) {
    if (!report.past || report.past->not_now.empty()) return;
    const std::vector<NotNow>& all = report.past->not_now;
    page.line(0, "Not found now, but by the daemon in the last 24 hours", Paint::bold);
    for (std::size_t i = 0; i < all.size() && i < kNotNowShown; ++i) {
        page.prose(2, not_now_text(all[i]), Paint::plain, std::string(page.bullet()) + " ");
    }
    if (all.size() > kNotNowShown) {
        page.line(2, "and " + std::to_string(all.size() - kNotNowShown) + " more (rdmadoctor history lists all)",
                  Paint::dim);
    }
    page.blank();
}

void print_past_gap(Page& page, const Report& report) {
    if (!report.past || !report.past->gap) return;
    const Gap& gap = *report.past->gap;
    page.prose(2, std::string(name_of(gap.kind)) + (gap.remedy.empty() ? "" : ": " + gap.remedy), Paint::yellow);
    page.prose(4, "what the daemon knows of the past: " + gap.reason);
}

}  // namespace rd::cli
