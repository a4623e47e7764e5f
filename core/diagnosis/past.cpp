// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/past.h"

#include <algorithm>
#include <map>
#include <utility>

namespace rd {
namespace {

using Key = std::pair<std::string, Entity>;

// All times that one rule fired on one subject.
struct Course {
    const PastFinding* newest = nullptr;
    Recurrence recurrence;

    void add(const PastFinding& one) {
        if (newest == nullptr || one.from_ns > newest->from_ns) newest = &one;
        recurrence.first_ns = recurrence.times == 0 ? one.from_ns : std::min(recurrence.first_ns, one.from_ns);
        ++recurrence.times;
        recurrence.goes_on = recurrence.goes_on || !one.to_ns;
        if (one.to_ns) recurrence.cleared_ns = std::max(recurrence.cleared_ns.value_or(0), *one.to_ns);
    }
};

std::vector<ToldEvent> events_on(const Entity& subject, const std::vector<PastEvent>& events) {
    std::map<std::pair<std::string, std::string>, ToldEvent> told;
    for (const PastEvent& event : events) {
        if (event.subject != subject) continue;
        ToldEvent& one =
            told.try_emplace({event.source, event.name}, ToldEvent{event.source, event.name, 0, 0}).first->second;
        one.times += event.count;
        one.last_ns = std::max(one.last_ns, event.last_ns);
    }
    std::vector<ToldEvent> all;
    for (auto& [name, event] : told) all.push_back(std::move(event));
    return all;
}

void recall(Finding& finding, const std::map<Key, Course>& courses, const std::vector<PastEvent>& events) {
    finding.told = events_on(finding.subject.entity, events);
    const auto found = courses.find({finding.rule, finding.subject.entity});
    if (found == courses.end()) return;
    const Course& course = found->second;
    finding.recurrence = course.recurrence;
    // The daemon has seen it come. A clock that was set back since has seen nothing that is later than now.
    const std::int64_t earlier = finding.since.wall_ns - course.newest->from_ns;
    if (!course.newest->to_ns && earlier > 0) {
        finding.since.wall_ns -= earlier;
        finding.since.boot_ns -= earlier;
    }
}

}  // namespace

void add_past(Report& report, const Recollection& known, const LabelOf& label) {
    std::map<Key, Course> courses;
    for (const PastFinding& one : known.findings) courses[{one.rule, one.subject}].add(one);
    report.past.emplace();
    for (std::vector<Finding>* list : {&report.findings, &report.suspected}) {
        for (Finding& finding : *list) {
            recall(finding, courses, known.events);
            courses.erase({finding.rule, finding.subject.entity});
        }
    }
    const std::int64_t recent = report.to.wall_ns - std::chrono::nanoseconds(kRecent).count();
    std::vector<NotNow>& over = report.past->not_now;
    for (const auto& [key, course] : courses) {
        const PastFinding& last = *course.newest;
        if (!course.recurrence.goes_on && course.recurrence.cleared_ns.value_or(0) < recent) continue;
        over.push_back({last.rule,
                        last.title,
                        last.severity,
                        {last.subject, label(last.subject)},
                        last.from_ns,
                        last.to_ns,
                        course.recurrence});
    }
    std::stable_sort(over.begin(), over.end(), [](const NotNow& a, const NotNow& b) {
        return std::pair(a.severity, a.from_ns) > std::pair(b.severity, b.from_ns);
    });
}

}  // namespace rd
