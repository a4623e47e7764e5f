// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <utility>

#include "cli/commands.h"
#include "cli/look.h"
#include "cli/render/facts.h"
#include "cli/source.h"
#include "core/base/text.h"

namespace rd::cli {
namespace {

// Many and rarely looked at by hand.
bool is_bulky(Kind kind) {
    return kind == Kind::cpu || kind == Kind::irq || kind == Kind::process || kind == Kind::priority;
}

Answer show_catalog(const FactsOptions& options, const Catalog& catalog, const Terminal& terminal) {
    std::vector<const FactSpec*> specs;
    for (const FactSpec* spec : catalog.all()) {
        if (!options.kind || spec->kind == *options.kind) specs.push_back(spec);
    }
    return {0, options.json ? render_catalog_json(specs) : render_catalog_text(specs, terminal), {}};
}

OrFailure<std::vector<Entity>> choose(const FactsOptions& options, const Snapshot& snapshot) {
    std::vector<Entity> chosen;
    for (const std::string& name : options.entities) {
        // "host" has no name of its own to type.
        std::vector<Entity> found = name == name_of(Kind::host) ? snapshot.entities(Kind::host) : snapshot.named(name);
        if (options.kind) std::erase_if(found, [&](const Entity& entity) { return entity.kind != *options.kind; });
        if (found.empty()) {
            return tl::unexpected<Failure>(
                Failure{1, "nothing here is called '" + printable(name) + "' (rdmadoctor facts shows what there is)"});
        }
        chosen.insert(chosen.end(), found.begin(), found.end());
    }
    if (!options.entities.empty()) return chosen;
    for (int i = 0; i < kKindCount; ++i) {
        const Kind kind = static_cast<Kind>(i);
        if (options.kind ? kind != *options.kind : is_bulky(kind) && !options.all) continue;
        const std::vector<Entity> present = snapshot.entities(kind);
        chosen.insert(chosen.end(), present.begin(), present.end());
    }
    return chosen;
}

OrFailure<Answer> facts(const FactsOptions& options, const Console& console) {
    auto setup = load_setup(options.rules);
    if (!setup) return tl::unexpected<Failure>(setup.error());
    if (options.list) return show_catalog(options, *setup->catalog, console.terminal);
    const auto host = open_source(options.from);
    if (!host) return tl::unexpected<Failure>(host.error());

    LookOptions looking;
    if (is_live(options.from)) looking.sweeps = 1;
    looking.deadline = options.deadline;
    Progress progress(console.progress);
    const History history = look(*host, *setup, looking, progress);
    const Snapshot& snapshot = history.latest();
    const auto chosen = choose(options, snapshot);
    if (!chosen) return tl::unexpected<Failure>(chosen.error());
    FactsView view{snapshot, (*host)->identity(), *chosen, options.all || !options.entities.empty(), {}};
    if (options.entities.empty() && !options.kind && !options.all) {
        for (int i = 0; i < kKindCount; ++i) {
            const Kind kind = static_cast<Kind>(i);
            const std::size_t count = is_bulky(kind) ? snapshot.entities(kind).size() : 0;
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
