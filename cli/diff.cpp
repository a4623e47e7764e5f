// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <filesystem>
#include <utility>

#include "cli/client.h"
#include "cli/commands.h"
#include "cli/look.h"
#include "cli/render/diff.h"
#include "cli/render/state.h"
#include "cli/source.h"
#include "core/base/text.h"
#include "core/diagnosis/evaluate.h"
#include "core/diagnosis/reads.h"
#include "core/host/identity.h"

namespace rd::cli {
namespace {

// A host as it was found, or as the daemon has kept it.
struct Looked {
    HostIdentity identity;
    History history;
};

bool same_place(const std::string& a, const std::string& b) {
    std::error_code unreadable;
    return a == b || std::filesystem::equivalent(a, b, unreadable);
}

OrFailure<std::vector<Looked>> look_at_all(const DiffOptions& options, const Setup& setup, Progress& progress) {
    for (std::size_t i = 0; i < options.sources.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (!same_place(options.sources[i], options.sources[j])) continue;
            return usage_failure("'" + printable(options.sources[i]) + "' is named twice: nothing differs from itself");
        }
    }
    std::vector<Looked> all;
    for (const std::string& source : options.sources) {
        SourceOptions opening;
        opening.from = source;
        auto opened = open_source(opening);
        if (!opened) return tl::unexpected<Failure>(opened.error());
        LookOptions looking;
        if (is_live(source)) looking.sweeps = 1;
        looking.deadline = options.deadline;
        History history = look(opened->host, setup, looking, progress);
        all.push_back({opened->host->identity(), std::move(history)});
    }
    return all;
}

Looked looked(PastState state) {
    const Entity host{Kind::host, ""};
    HostIdentity identity;
    identity.source = state.watched ? "what the daemon kept" : "what the daemon kept last: nobody watched then";
    identity.hostname = state.snapshot.text(host, "name").value_or("");
    identity.kernel = state.snapshot.text(host, "kernel").value_or("");
    identity.boot_id = std::move(state.boot_id);
    History history(state.snapshot.shared_layout());
    history.append(std::move(state.snapshot));
    return {std::move(identity), std::move(history)};
}

OrFailure<std::vector<Looked>> recall_all(const DiffOptions& options, const std::vector<std::string>& times,
                                          const Catalog& catalog) {
    std::vector<PastState> states;
    for (const std::string& time : times) {
        const auto body = ask(options.socket, "/v1/state", {{"at", time}});
        if (!body) return tl::unexpected<Failure>(failure_of(body.error()));
        auto state = past_state(*body, catalog);
        if (!state) return tl::unexpected<Failure>(failure_of(state.error()));
        states.push_back(std::move(*state));
    }
    say_what_is_not_kept(states);
    std::vector<Looked> all;
    for (PastState& state : states) all.push_back(looked(std::move(state)));
    return all;
}

OrFailure<std::vector<std::string>> times_of(const std::vector<Moment>& moments) {
    const std::int64_t now = current_stamp().wall_ns;  // one for both
    std::vector<std::string> times;
    for (const Moment& moment : moments)
        times.push_back(rfc3339(moment.before_now ? now - moment.before_now->count() : moment.wall_ns));
    if (times[0] == times[1]) return usage_failure(times[0] + " is named twice: nothing differs from itself");
    return times;
}

// Scrubbing gives each bundle the same new names, so they tell nothing of one host from another.
bool is_pseudonym(const HostIdentity& host) { return host.boot_id.starts_with("00000000-0000-4000-8000-"); }

bool tells(const std::string& hostname) {
    return !hostname.empty() && hostname != "(none)" && !hostname.starts_with("localhost");
}

// Why all of them are one host; empty when they are not.
std::string one_host(const std::vector<Looked>& all) {
    const HostIdentity& first = all.front().identity;
    const auto each = [&](auto same) {
        return std::all_of(all.begin(), all.end(), [&](const Looked& one) { return same(one.identity); });
    };
    if (is_pseudonym(first)) return {};
    if (!first.boot_id.empty() && each([&](const HostIdentity& host) { return host.boot_id == first.boot_id; })) {
        return "they have one boot id";
    }
    const bool name =
        tells(first.hostname) && each([&](const HostIdentity& host) {
            return host.hostname == first.hostname && host.machine == first.machine && !is_pseudonym(host);
        });
    return name ? "they have one host name; the host was booted between them" : "";
}

// What tells paths apart: "monday" and "tuesday" of hosts/monday/bundle and hosts/tuesday/bundle.
std::vector<std::string> short_paths(const std::vector<std::string>& paths) {
    std::vector<std::vector<std::string_view>> parts;
    for (const std::string& path : paths) parts.push_back(split(path, '/'));
    const auto all_have = [&](auto part) {
        return std::all_of(parts.begin(), parts.end(),
                           [&](const auto& one) { return one.size() > 1 && part(one) == part(parts[0]); });
    };
    while (all_have([](const auto& one) { return one.front(); })) {
        for (auto& one : parts) one.erase(one.begin());
    }
    while (all_have([](const auto& one) { return one.back(); })) {
        for (auto& one : parts) one.pop_back();
    }
    std::vector<std::string> out;
    for (const auto& one : parts) {
        std::string name;
        for (const std::string_view part : one) name.append(name.empty() ? "" : "/").append(part);
        out.push_back(std::move(name));
    }
    return out;
}

bool told_apart(std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    return std::adjacent_find(names.begin(), names.end()) == names.end() &&
           std::none_of(names.begin(), names.end(), [](const std::string& name) { return name.empty(); });
}

std::vector<std::string> names_of(const std::vector<Looked>& all, const std::vector<std::string>& sources) {
    std::vector<std::string> names;
    for (const Looked& one : all) {
        const std::string& name = one.identity.hostname;
        names.push_back(tells(name) ? name : "");
    }
    if (!told_apart(names)) names = short_paths(sources);
    return told_apart(names) ? names : sources;
}

std::vector<DiffHost> hosts_of(const std::vector<Looked>& all, const std::vector<std::string>& names) {
    std::vector<DiffHost> hosts;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Snapshot& latest = all[i].history.latest();
        DiffHost host{names[i], all[i].identity, all[i].history.last(), std::nullopt};
        if (latest.kind_gap(Kind::device) == nullptr) host.devices = latest.entities(Kind::device).size();
        hosts.push_back(std::move(host));
    }
    return hosts;
}

class RulesOfFacts {
public:
    RulesOfFacts(const Setup& setup, const std::vector<Looked>& all) : setup_(setup), all_(all) {
        for (const Looked& one : all) verdicts_.push_back(evaluate(setup.rules.book, one.history));
    }

    DiffRow row(FactRow fact) const {
        DiffRow row{std::move(fact), {}, {}};
        std::vector<const FactSpec*> specs{row.row.spec};
        for (const auto& [kind, name] : echoes_of(*row.row.spec)) {
            if (const FactSpec* spec = setup_.catalog->find(kind, name)) specs.push_back(spec);
        }
        std::vector<const Rule*> rules;
        for (const Rule& rule : setup_.rules.book.rules) {
            const auto read = [&](const FactSpec* spec) { return reads(rule, *spec); };
            if (rule.enabled && std::any_of(specs.begin(), specs.end(), read)) rules.push_back(&rule);
        }
        std::stable_sort(rules.begin(), rules.end(),
                         [](const Rule* a, const Rule* b) { return a->severity > b->severity; });
        for (const Rule* rule : rules) row.read_by.push_back(rule->id);
        for (const Rule* rule : rules) {
            for (const std::size_t host : finders(*rule, row.row)) row.found_by.emplace_back(rule->id, host);
        }
        return row;
    }

    // What a rule finds on some host before what rules merely ask for, and that before the rest.
    [[nodiscard]] int weight(const DiffRow& row) const {
        const Rule* rule = row.found_by.empty() ? nullptr : setup_.rules.book.find(row.found_by.front().first);
        if (rule != nullptr) return 2 + static_cast<int>(rule->severity);
        return row.read_by.empty() ? 0 : 1;
    }

private:
    // Hosts on which the rule finds something in this fact, where that sets them apart.
    [[nodiscard]] std::vector<std::size_t> finders(const Rule& rule, const FactRow& row) const {
        std::vector<std::size_t> found;
        std::size_t there = 0;
        for (std::size_t host = 0; host < verdicts_.size(); ++host) {
            if (!row.on[host]) continue;
            ++there;
            const bool usual = row.usual && row.readings[host] && *row.readings[host] == *row.usual;
            if (!usual && finds(rule, row, host)) found.push_back(host);
        }
        return found.size() == there ? std::vector<std::size_t>{} : found;
    }

    [[nodiscard]] bool finds(const Rule& rule, const FactRow& row, std::size_t host) const {
        return std::any_of(verdicts_[host].begin(), verdicts_[host].end(), [&](const Verdict& verdict) {
            if (verdict.rule->id != rule.id || verdict.state != State::firing) return false;
            const std::vector<Evidence>& evidence = verdict.outcome.evidence;
            return std::any_of(evidence.begin(), evidence.end(),
                               [&](const Evidence& one) { return is_evidence(one, row, host); });
        });
    }

    // From this fact, or from a copy of it on what belongs to the same entity.
    [[nodiscard]] bool is_evidence(const Evidence& evidence, const FactRow& row, std::size_t host) const {
        const Entity& entity = *row.on[host];
        if (evidence.entity == entity && evidence.fact == row.fact) return true;
        const auto echoes = echoes_of(*row.spec);
        if (std::find(echoes.begin(), echoes.end(), std::pair(evidence.entity.kind, std::string_view(evidence.fact))) ==
            echoes.end()) {
            return false;
        }
        const Snapshot& snapshot = all_[host].history.latest();
        return evidence.entity == entity || evidence.entity.id.starts_with(entity.id + "/") ||
               stands_on(evidence.entity, entity, snapshot);
    }

    // A VLAN interface on a bond of which the interface is a member: three deep at most.
    static bool stands_on(const Entity& upper, const Entity& netdev, const Snapshot& snapshot) {
        const auto below = snapshot.reference(upper, "lower");
        const Entity& carrier = below ? *below : upper;
        return carrier == netdev || snapshot.reference(netdev, "master") == carrier;
    }

    const Setup& setup_;
    const std::vector<Looked>& all_;
    std::vector<std::vector<Verdict>> verdicts_;
};

void add_counters(DiffView& view, const std::vector<Looked>& all) {
    const Looked &first = all.front(), &last = all.back();
    if (view.likeness == Likeness::twins) {
        view.no_counters = "the counters of two hosts have nothing to do with each other";
    } else if (first.identity.boot_id != last.identity.boot_id) {
        view.no_counters = "the host was booted between them, and counters began anew";
    } else if (first.history.last().boot_ns >= last.history.last().boot_ns) {
        view.no_counters = "the first was not recorded before the last: name them in the order of time";
    } else {
        view.counters = increases(first.history.latest(), last.history.latest());
    }
}

DiffView view_of(const std::vector<Looked>& all, const Setup& setup, DiffView view) {
    view.rules_version = setup.rules.book.version;
    view.rules_hash = setup.rules.book.hash;
    std::vector<const Snapshot*> snapshots;
    for (const Looked& one : all) snapshots.push_back(&one.history.latest());
    view.rest = compare(snapshots, view.likeness);
    const RulesOfFacts rules(setup, all);
    for (FactRow& row : view.rest.drift) view.drift.push_back(rules.row(std::move(row)));
    view.rest.drift.clear();
    std::stable_sort(view.drift.begin(), view.drift.end(),
                     [&](const DiffRow& a, const DiffRow& b) { return rules.weight(a) > rules.weight(b); });
    return view;
}

OrFailure<DiffView> diff_of_sources(const DiffOptions& options, const Setup& setup, const Console& console) {
    Progress progress(console.progress);
    const auto all = look_at_all(options, setup, progress);
    if (!all) return tl::unexpected<Failure>(all.error());
    DiffView view;
    view.because = one_host(*all);
    if (options.likeness) {
        view.because = "asked for with --as";
        view.likeness = *options.likeness;
    } else if (!view.because.empty()) {
        view.likeness = Likeness::recordings;
    } else {
        view.because = "they are different hosts";
    }
    view.hosts = hosts_of(*all, names_of(*all, options.sources));
    view = view_of(*all, setup, std::move(view));
    if (options.counters) add_counters(view, *all);
    return view;
}

OrFailure<DiffView> diff_of_times(const DiffOptions& options, const Setup& setup) {
    const auto times = times_of(options.at);
    if (!times) return tl::unexpected<Failure>(times.error());
    const auto all = recall_all(options, *times, *setup.catalog);
    if (!all) return tl::unexpected<Failure>(all.error());
    DiffView view;
    view.likeness = Likeness::recordings;
    const bool booted = all->front().identity.boot_id != all->back().identity.boot_id;
    view.because = booted ? "two times of this host, which was booted between them" : "two times of this host";
    view.hosts = hosts_of(*all, *times);
    return view_of(*all, setup, std::move(view));
}

OrFailure<Answer> diff(const DiffOptions& options, const Console& console) {
    RuleSource source = options.rules;
    source.own_site = std::none_of(options.sources.begin(), options.sources.end(), is_text);
    auto setup = load_setup_with_rules(source);
    if (!setup) return tl::unexpected<Failure>(setup.error());
    const auto view = options.at.empty() ? diff_of_sources(options, *setup, console) : diff_of_times(options, *setup);
    if (!view) return tl::unexpected<Failure>(view.error());
    const int code = view->drift.empty() && view->rest.unpaired.empty() ? 0 : 1;
    return Answer{code, options.json ? render_diff_json(*view) : render_diff_text(*view, console.terminal), {}};
}

}  // namespace

Answer run(const DiffOptions& options, const Console& console) {
    const OrFailure<Answer> answer = diff(options, console);
    return answer ? *answer : answer_from(answer.error());
}

}  // namespace rd::cli
