// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <map>
#include <tuple>

#include "cli/render/diff.h"
#include "cli/render/page.h"
#include "cli/render/words.h"
#include "core/base/text.h"

namespace rd::cli {
namespace {

constexpr std::size_t kNamesShown = 6;
constexpr std::size_t kRulesShown = 3;

std::string devices_text(const DiffHost& host) {
    if (!host.devices) return "RDMA devices could not be enumerated";
    return *host.devices == 0 ? "no RDMA device" : counted(*host.devices, "RDMA device", "RDMA devices");
}

void print_head(Page& page, const DiffView& view) {
    const std::string what = view.likeness == Likeness::twins ? "hosts that should be alike" : "recordings of one host";
    page.line(0,
              {{std::to_string(view.hosts.size()) + " " + what, Paint::bold}, {" (" + view.because + ")", Paint::dim}});
    std::vector<std::vector<Page::Piece>> rows;
    for (const DiffHost& host : view.hosts) {
        const HostIdentity& identity = host.identity;
        const std::string machine = identity.machine.empty() ? "" : " " + identity.machine;
        const std::string about = (identity.source == host.name ? "" : identity.source + " · ") + "Linux " +
                                  identity.kernel + machine + " · " + devices_text(host) + " · " +
                                  rfc3339(host.at.wall_ns);
        rows.push_back({{host.name, Paint::bold}, {about, Paint::dim}});
    }
    page.table(2, std::move(rows));
    page.blank();
}

std::string shown(const Reading& reading, const FactSpec& spec) {
    if (reading) return value_text(*reading, spec.unit);
    const Gap& gap = reading.error();
    return std::string(name_of(gap.kind)) + (gap.reason.empty() ? "" : ": " + gap.reason);
}

// The value that most have stands once; who has another is named.
std::vector<std::pair<std::string, std::string>> columns_of(const DiffView& view, const FactRow& row) {
    std::vector<std::pair<std::string, std::string>> out;
    std::size_t usual = 0;
    for (std::size_t i = 0; i < row.readings.size(); ++i) {
        if (row.usual && row.readings[i] && *row.readings[i] == *row.usual) {
            ++usual;
        } else if (row.on[i]) {
            out.emplace_back(view.hosts[i].name, shown(row.readings[i], *row.spec));
        }
    }
    if (row.usual) out.emplace_back(counted(usual, "other", "others"), value_text(*row.usual, row.spec->unit));
    return out;
}

std::string rules_text(const DiffView& view, const DiffRow& row) {
    if (row.found_by.empty()) {
        return row.read_by.empty() ? "" : "read by " + some_of(row.read_by, kRulesShown);
    }
    std::map<std::string, std::vector<std::string>> hosts;
    for (const auto& [rule, host] : row.found_by) hosts[rule].push_back(view.hosts[host].name);
    std::vector<std::string> parts;
    for (const auto& [rule, names] : hosts) parts.push_back(rule + " on " + joined(names, ", "));
    return "found by " + joined(parts, "; ");
}

void print_drift(Page& page, const DiffView& view) {
    // Eight adapters with one difference are one paragraph.
    struct Group {
        const DiffRow* row;
        std::vector<std::string> entities;
    };
    std::vector<Group> groups;
    std::map<std::tuple<Kind, std::string, std::vector<std::pair<std::string, std::string>>, std::string>, std::size_t>
        places;
    for (const DiffRow& row : view.drift) {
        const auto [place, added] = places.try_emplace(
            std::tuple(row.row.kind, row.row.fact, columns_of(view, row.row), rules_text(view, row)), groups.size());
        if (added) groups.push_back({&row, {}});
        groups[place->second].entities.push_back(row.row.entity);
    }
    for (const Group& group : groups) {
        const FactRow& row = group.row->row;
        std::string of;
        if (row.kind != Kind::host) of = " of " + some_of(group.entities, kNamesShown);
        page.line(0, {{std::string(name_of(row.kind)) + "." + row.fact, Paint::yellow}, {of}});
        std::vector<std::vector<Page::Piece>> rows;
        for (const auto& [host, value] : columns_of(view, row)) rows.push_back({{host}, {value, Paint::bold}});
        page.table(4, std::move(rows));
        if (const std::string rules = rules_text(view, *group.row); !rules.empty()) page.prose(4, rules, Paint::dim);
    }
    page.blank();
}

void print_unpaired(Page& page, const DiffView& view) {
    std::map<std::pair<Kind, std::vector<bool>>, std::vector<std::string>> groups;
    for (const Unpaired& unpaired : view.rest.unpaired) groups[{unpaired.kind, unpaired.on}].push_back(unpaired.entity);
    for (const auto& [key, names] : groups) {
        std::vector<std::string> with, without;
        for (std::size_t i = 0; i < key.second.size(); ++i)
            (key.second[i] ? with : without).push_back(view.hosts[i].name);
        page.prose(0,
                   std::string(name_of(key.first)) + " " + joined(names, ", ") + ": on " + joined(with, ", ") +
                       ", not on " + joined(without, ", "),
                   Paint::yellow);
    }
    page.blank();
}

void print_not_compared(Page& page, const DiffView& view) {
    if (view.rest.not_compared.empty() && view.rest.unlisted.empty()) return;
    page.line(0, "Could not be compared", Paint::bold);
    for (const Unlisted& unlisted : view.rest.unlisted) {
        page.prose(2, view.hosts[unlisted.host].name + ": " + std::string(name_of(unlisted.kind)) +
                          " not enumerated, " + gap_text(unlisted.gap));
    }
    std::map<std::tuple<std::size_t, GapClass, std::string>, std::vector<std::string>> groups;
    for (const FactRow& row : view.rest.not_compared) {
        for (std::size_t i = 0; i < row.readings.size(); ++i) {
            if (row.readings[i] || !row.on[i]) continue;
            const Gap& gap = row.readings[i].error();
            std::vector<std::string>& facts = groups[{i, gap.kind, gap.remedy}];
            std::string name = std::string(name_of(row.kind)) + "." + row.fact;
            if (std::find(facts.begin(), facts.end(), name) == facts.end()) facts.push_back(std::move(name));
        }
    }
    for (const auto& [key, facts] : groups) {
        const auto& [host, gap, remedy] = key;
        page.prose(2, view.hosts[host].name + ": " + std::string(name_of(gap)) + (remedy.empty() ? "" : ": " + remedy));
        page.prose(4, some_of(facts, 2 * kNamesShown), Paint::dim);
    }
    page.blank();
}

void print_counters(Page& page, const DiffView& view) {
    if (!view.no_counters.empty()) page.prose(0, "No counters: " + view.no_counters, Paint::yellow);
    if (!view.counters) return page.blank();
    page.line(0, "Counters that went on between the first and the last", Paint::bold);
    std::vector<std::vector<Page::Piece>> rows;
    for (const CounterRow& counter : *view.counters) {
        std::string grown = "+" + value_text(counter.increase.amount, counter.spec->unit);
        if (counter.increase.at_least) grown += ", or more: it stands at its end";
        if (counter.increase.reset) grown += " since it was cleared";
        rows.push_back({{counter.kind == Kind::host ? "host" : counter.entity}, {counter.fact}, {grown}});
    }
    page.table(2, std::move(rows));
    page.blank();
}

}  // namespace

std::string render_diff_text(const DiffView& view, const Terminal& terminal) {
    Page page(terminal);
    print_head(page, view);
    print_drift(page, view);
    print_unpaired(page, view);
    print_not_compared(page, view);
    print_counters(page, view);
    const std::size_t drift = view.drift.size(), unpaired = view.rest.unpaired.size();
    std::string sum = drift == 0 && unpaired == 0 ? "Nothing differs" : counted(drift, "fact differs", "facts differ");
    if (unpaired != 0) sum += ", " + std::to_string(unpaired) + " not on every host";
    sum += "; " + counted(view.rest.equal, "is the same", "are the same");
    if (!view.rest.not_compared.empty())
        sum += ", " + std::to_string(view.rest.not_compared.size()) + " could not be compared";
    if (!view.rest.unlisted.empty()) sum += ", and what could not be enumerated";
    page.line(0, sum + " · rules " + view.rules_version + " (" + view.rules_hash + ")");
    return page.text();
}

}  // namespace rd::cli
