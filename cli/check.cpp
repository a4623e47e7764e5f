// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/look.h"
#include "cli/recall.h"
#include "cli/render/report.h"
#include "cli/source.h"
#include "core/diagnosis/report_prose.h"

namespace rd::cli {
namespace {

constexpr int kLiveSweeps = 2;

// The report of one host, its exit code, and how it was made of text.
struct Examined {
    Report report;
    int code = 0;
    std::optional<Origin> origin;
};

std::optional<Origin> origin_of(const Source& source, const Sources& all) {
    if (!source.text || !all.text) return std::nullopt;
    return Origin{*source.text, *all.text};
}

const Origin* pointer_to(const Examined& one) { return one.origin ? &*one.origin : nullptr; }

Answer render(const CheckOptions& options, const Examined& one, const Rulebook& book, const Terminal& terminal) {
    const Report& report = one.report;
    switch (options.style) {
        case Style::text:
            return {one.code, render_text(report, one.code, terminal, pointer_to(one)), {}};
        case Style::json:
            return {one.code, render_json(report, pointer_to(one)), {}};
        case Style::nagios:
            return {nagios_code(report, one.code), render_nagios(report, one.code, options.fail_on), {}};
        case Style::npd:
            return {npd_code(report, one.code), render_npd(report, one.code, options.fail_on), {}};
        case Style::junit:
            return {one.code, render_junit(report, book, options.fail_on), {}};
    }
    return {one.code, {}, {}};
}

// 2 is worse than 1, and 1 worse than 3: what was found weighs more than what could not be seen.
int worse(int a, int b) {
    const auto rank = [](int code) { return code == 3 ? 1 : code == 0 ? 0 : code + 1; };
    return rank(a) >= rank(b) ? a : b;
}

OrFailure<Answer> render(const CheckOptions& options, const std::vector<Examined>& all, const Rulebook& book,
                         const Terminal& terminal) {
    if (all.size() == 1) return render(options, all.front(), book, terminal);
    if (options.style != Style::text && options.style != Style::json) {
        return usage_failure("this style has room for one host only (choose one with --host)");
    }
    Answer answer;
    std::vector<JsonHost> hosts;
    for (const Examined& one : all) {
        answer.code = worse(answer.code, one.code);
        hosts.push_back({&one.report, pointer_to(one)});
        if (options.style != Style::text) continue;
        if (!answer.out.empty()) answer.out += "\n";
        answer.out += render_text(one.report, one.code, terminal, pointer_to(one));
    }
    if (options.style == Style::json) answer.out = render_json(hosts);
    return answer;
}

// The daemon has watched this host as it is, and what it knows is for who reads on: monitoring systems keep histories of their own.
bool has_past(const CheckOptions& options) {
    return is_live(options.from) && options.root.empty() &&
           (options.style == Style::text || options.style == Style::json);
}

Report examine(const std::shared_ptr<Host>& host, const Setup& setup, const LookOptions& looking,
               const CheckOptions& options, const Console& console) {
    Progress progress(console.progress);
    const History history = look(host, setup, looking, progress);
    const Rulebook& book = setup.rules.book;
    Report report = make_report(book, history, evaluate(book, history), host->identity());
    if (has_past(options))
        recall(report, options.socket, [&](const Entity& entity) { return label_of(history, entity); });
    return report;
}

OrFailure<Answer> check(const CheckOptions& options, const Console& console) {
    RuleSource rules = options.rules;
    rules.own_site = !is_text(options.from);
    auto setup = load_setup_with_rules(rules);
    if (!setup) return tl::unexpected<Failure>(setup.error());
    const bool live = is_live(options.from);
    LookOptions looking;
    if (live) looking.sweeps = kLiveSweeps;
    if (options.interval.count() == 0) looking.sweeps = 1;
    looking.interval = live ? options.interval : std::chrono::nanoseconds(0);
    const auto deadline = sweep_deadline(options.deadline, std::max(looking.sweeps, 1), looking.interval);
    if (!deadline) return tl::unexpected<Failure>(deadline.error());
    looking.deadline = *deadline;
    const Rulebook& book = setup->rules.book;
    SourceOptions source{options.from, options.root, options.host};
    source.ingest.log_of_interest = [matcher = book.logs](std::string_view line) { return matcher->matches(line); };
    const auto sources = open_sources(source);
    if (!sources) return tl::unexpected<Failure>(sources.error());
    std::vector<Examined> examined;
    for (const Source& one : sources->hosts) {
        const Report report = examine(one.host, *setup, looking, options, console);
        const int code = exit_code(report, options.fail_on, options.strict);
        examined.push_back({report, code, origin_of(one, *sources)});
    }
    return render(options, examined, book, console.terminal);
}

}  // namespace

Answer run(const CheckOptions& options, const Console& console) {
    const OrFailure<Answer> answer = check(options, console);
    return answer ? *answer : failed(options, answer.error());
}

}  // namespace rd::cli
