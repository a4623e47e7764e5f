// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <utility>

#include "cli/commands.h"
#include "cli/look.h"
#include "cli/render/facts.h"
#include "cli/source.h"
#include "core/base/nearest.h"
#include "core/base/text.h"

namespace rd::cli {
namespace {

// Many and rarely looked at by hand.
bool is_bulky(Kind kind) {
    return kind == Kind::cpu || kind == Kind::irq || kind == Kind::process || kind == Kind::priority ||
           kind == Kind::log;
}

// A text has few of them, and they are what it said.
bool is_left_out(Kind kind, const FactsOptions& options) {
    return is_bulky(kind) && !options.all && !is_text(options.from);
}

Answer show_catalog(const FactsOptions& options, const Catalog& catalog, const Terminal& terminal) {
    std::vector<const FactSpec*> specs;
    for (const FactSpec* spec : catalog.all()) {
        if (!options.kind || spec->kind == *options.kind) specs.push_back(spec);
    }
    return {0, options.json ? render_catalog_json(specs) : render_catalog_text(specs, terminal), {}};
}

// What people call what is there: labels, and the ids that they may type as well.
std::string offer(const FactsOptions& options, const Snapshot& snapshot, std::string_view typed) {
    std::vector<std::string> names{std::string(name_of(Kind::host))};
    for (int i = 0; i < kKindCount; ++i) {
        const Kind kind = static_cast<Kind>(i);
        if (options.kind && kind != *options.kind) continue;
        for (const Entity& entity : snapshot.entities(kind)) {
            names.push_back(snapshot.label(entity));
            names.push_back(entity.id);
        }
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    const std::string near = did_you_mean(typed, std::vector<std::string_view>(names.begin(), names.end()));
    return near.empty() ? "rdmadoctor facts shows what there is" : near;
}

OrFailure<std::vector<Entity>> choose(const FactsOptions& options, const Snapshot& snapshot) {
    std::vector<Entity> chosen;
    for (const std::string& name : options.entities) {
        // "host" has no name of its own to type.
        std::vector<Entity> found = name == name_of(Kind::host) ? snapshot.entities(Kind::host) : snapshot.named(name);
        if (options.kind) std::erase_if(found, [&](const Entity& entity) { return entity.kind != *options.kind; });
        if (found.empty()) {
            return usage_failure("nothing here is called '" + printable(name) + "' (" + offer(options, snapshot, name) +
                                 ")");
        }
        for (Entity& entity : found) {
            if (std::find(chosen.begin(), chosen.end(), entity) == chosen.end()) chosen.push_back(std::move(entity));
        }
    }
    if (!options.entities.empty()) return chosen;
    for (int i = 0; i < kKindCount; ++i) {
        const Kind kind = static_cast<Kind>(i);
        if (options.kind ? kind != *options.kind : is_left_out(kind, options)) continue;
        const std::vector<Entity> present = snapshot.entities(kind);
        chosen.insert(chosen.end(), present.begin(), present.end());
    }
    return chosen;
}

OrFailure<Answer> facts(const FactsOptions& options, const Console& console) {
    RuleSource rules = options.rules;
    rules.own_site = !is_text(options.from);
    // Which lines of a pasted log are kept is for the rules to say.
    const bool text = is_text(options.from) && !options.list;
    auto setup = text ? load_setup_with_rules(rules) : load_setup(rules);
    if (!setup) return tl::unexpected<Failure>(setup.error());
    if (options.list) return show_catalog(options, *setup->catalog, console.terminal);
    SourceOptions from{options.from, options.root, options.host};
    if (text) {
        from.ingest.log_of_interest = [matcher = setup->rules.book.logs](std::string_view line) {
            return matcher->matches(line);
        };
    }
    const auto source = open_source(from);
    if (!source) return tl::unexpected<Failure>(source.error());
    const std::shared_ptr<Host>& host = source->host;

    LookOptions looking;
    if (is_live(options.from)) looking.sweeps = 1;
    looking.deadline = options.deadline;
    Progress progress(console.progress);
    const History history = look(host, *setup, looking, progress);
    const Snapshot& snapshot = history.latest();
    const auto chosen = choose(options, snapshot);
    if (!chosen) return tl::unexpected<Failure>(chosen.error());
    FactsView view{snapshot, host->identity(), *chosen, options.all || !options.entities.empty(), options.all, {}};
    if (options.entities.empty() && !options.kind && !options.all) {
        for (int i = 0; i < kKindCount; ++i) {
            const Kind kind = static_cast<Kind>(i);
            const std::size_t count = is_left_out(kind, options) ? snapshot.entities(kind).size() : 0;
            if (count != 0) view.left_out.emplace_back(kind, count);
        }
    }
    return Answer{0, options.json ? render_facts_json(view) : render_facts_text(view, console.terminal), {}};
}

}  // namespace

Answer run(const FactsOptions& options, const Console& console) {
    const OrFailure<Answer> answer = facts(options, console);
    return answer ? *answer : answer_from(answer.error());
}

}  // namespace rd::cli
