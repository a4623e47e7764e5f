// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <utility>

#include "cli/commands.h"
#include "cli/look.h"
#include "cli/render/report.h"
#include "cli/source.h"

namespace rd::cli {
namespace {

constexpr int kLiveSweeps = 2;

Answer render(const CheckOptions& options, const Report& report, const Rulebook& book, const Terminal& terminal) {
    const int code = exit_code(report, options.fail_on, options.strict);
    switch (options.style) {
        case Style::text:
            return {code, render_text(report, code, terminal), {}};
        case Style::json:
            return {code, render_json(report), {}};
        case Style::nagios:
            return {code, render_nagios(report, code), {}};
        case Style::npd:
            return {npd_code(code), render_npd(report, code), {}};
        case Style::junit:
            return {code, render_junit(report, book), {}};
    }
    return {code, {}, {}};
}

OrFailure<Answer> check(const CheckOptions& options, const Console& console) {
    auto setup = load_setup_with_rules(options.rules);
    if (!setup) return tl::unexpected<Failure>(setup.error());
    const bool live = is_live(options.from);
    LookOptions looking;
    if (live) looking.sweeps = kLiveSweeps;
    if (options.interval.count() == 0) looking.sweeps = 1;
    looking.interval = live ? options.interval : std::chrono::nanoseconds(0);
    const auto deadline = sweep_deadline(options.deadline, std::max(looking.sweeps, 1), looking.interval);
    if (!deadline) return tl::unexpected<Failure>(deadline.error());
    looking.deadline = *deadline;
    const auto host = open_source(options.from);
    if (!host) return tl::unexpected<Failure>(host.error());

    Progress progress(console.progress);
    const History history = look(*host, *setup, looking, progress);
    const Rulebook& book = setup->rules.book;
    const Report report = make_report(book, history, evaluate(book, history), (*host)->identity());
    Answer answer = render(options, report, book, console.terminal);
    // A rule file that does not load is left out, not hidden: its silence is no health.
    answer.err = print(setup->rules.errors);
    return answer;
}

}  // namespace

Answer run(const CheckOptions& options, const Console& console) {
    const OrFailure<Answer> answer = check(options, console);
    return answer ? *answer : failed(options, answer.error());
}

}  // namespace rd::cli
