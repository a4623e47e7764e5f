// SPDX-License-Identifier: GPL-2.0-or-later
#include <map>
#include <memory>
#include <utility>

#include "cli/commands.h"
#include "cli/embedded.h"
#include "cli/look.h"
#include "cli/render/page.h"
#include "cli/render/words.h"
#include "cli/source.h"
#include "core/base/text.h"
#include "core/host/recording.h"
#include "core/host/scrub.h"
#include "core/program/files.h"

namespace rd::cli {
namespace {

// One lifetime for both: a thread that is stuck in a read keeps the host it was given, and that one needs the other.
struct Recorder {
    explicit Recorder(std::shared_ptr<Host> source) : host(std::move(source)) {}
    std::shared_ptr<Host> host;
    RecordingHost recording{*host};
};

struct Contents {
    std::size_t answers = 0, bytes = 0, failures = 0;
    std::vector<std::string> refused;  // for want of privilege
};

Contents contents_of(const Bundle& bundle) {
    Contents contents;
    for (const auto& [name, answer] : bundle.moments.back().reads) {
        if (answer) {
            ++contents.answers;
            contents.bytes += answer->size();
        } else if (answer.error().code == Errc::no_privilege) {
            contents.refused.push_back(name);
        } else {
            ++contents.failures;
        }
    }
    return contents;
}

std::string said(const Bundle& bundle, const std::string& out, const Terminal& terminal) {
    const Contents contents = contents_of(bundle);
    const auto window =
        std::chrono::nanoseconds(bundle.moments.back().stamp.boot_ns - bundle.moments.front().stamp.boot_ns);
    const std::string over = bundle.moments.size() > 1 ? " over " + seconds_text(window) : std::string();
    Page page(terminal);
    page.line(0, {{out, Paint::bold}, {": " + counted(bundle.moments.size(), "sweep", "sweeps") + over}});
    page.prose(2, counted(contents.answers, "answer", "answers") + ", " +
                      std::to_string((contents.bytes + 1023) / 1024) + " KiB; " +
                      counted(contents.failures, "read", "reads") + " failed and are kept as such");
    if (bundle.scrubbed) {
        page.prose(
            2,
            "Scrubbed: host name and domain, MAC, IP and IPoIB addresses, GUIDs, GIDs, serial numbers, UUIDs, boot "
            "id, NQNs and ids of namespaces are replaced, the same by the same everywhere.");
        page.prose(
            2,
            "These stay: names of processes and interfaces, models, firmware, PCI addresses, the words of kernel "
            "messages and what other hosts are called in them. Look before you give it away.",
            Paint::yellow);
    } else {
        page.prose(2,
                   "Not scrubbed: it holds host name, addresses, GUIDs, serial numbers, kernel messages and process "
                   "names. Look "
                   "before you give it away, or scrub it:",
                   Paint::yellow);
        page.line(2, "rdmadoctor record --from " + out + " NEW --scrub", Paint::dim);
    }
    if (!contents.refused.empty()) {
        page.prose(2,
                   counted(contents.refused.size(), "answer", "answers") +
                       " only root would have got: " + some_of(contents.refused, 6),
                   Paint::yellow);
    }
    page.line(2, "rdmadoctor check --from " + out, Paint::dim);
    return page.text();
}

OrFailure<Bundle> look_at(const RecordOptions& options, const Console& console) {
    auto setup = load_setup({});
    if (!setup) return tl::unexpected<Failure>(setup.error());
    const auto source = open_source({options.from, options.root, options.host});
    if (!source) return tl::unexpected<Failure>(source.error());
    const auto recorder = std::make_shared<Recorder>(source->host);
    const std::shared_ptr<Host> host(recorder, &recorder->recording);
    LookOptions looking;
    if (is_live(options.from)) {
        looking.sweeps = options.sweeps;
        looking.interval = options.duration / (options.sweeps - 1);
    }
    looking.deadline = kRecordSweepDeadline;
    Progress progress(console.progress);
    (void)look(host, *setup, looking, progress);
    Bundle bundle = recorder->recording.bundle();
    bundle.tool = tool_name();
    return bundle;
}

// What is a bundle already is taken over whole: by looking at it, what this version does not ask for would be lost.
OrFailure<Bundle> take(const RecordOptions& options, const Console& console) {
    const bool is_tree =
        is_directory(options.from) && !exists(options.from + "/manifest.toml") && !is_text(options.from);
    if (is_live(options.from) || is_tree) return look_at(options, console);
    if (is_text(options.from)) {
        // The lines of logs that rules know are kept too: what is kept must be judged as the text would be.
        RuleSource rules;
        rules.own_site = false;
        const auto setup = load_setup_with_rules(rules);
        if (!setup) return tl::unexpected<Failure>(setup.error());
        SourceOptions source{options.from, {}, options.host};
        source.ingest.log_of_interest = [matcher = setup->rules.book.logs](std::string_view line) {
            return matcher->matches(line);
        };
        OrFailure<Bundle> made = bundle_of_text(source);
        if (made) made->tool = tool_name();
        return made;
    }
    Result<Bundle> bundle = load_bundle(options.from);
    if (!bundle) return usage_failure(describe(bundle.error()));
    return std::move(*bundle);
}

OrFailure<Answer> record(const RecordOptions& options, const Console& console) {
    // Before the sweeps, so that nobody waits for a refusal; save_bundle looks again when it writes.
    if (const Result<> place = check_bundle_target(options.out); !place) return usage_failure(describe(place.error()));
    auto bundle = take(options, console);
    if (!bundle) return tl::unexpected<Failure>(bundle.error());
    if (options.scrub) *bundle = scrub(std::move(*bundle));
    const Result<> saved = save_bundle(*bundle, options.out);
    if (!saved) {
        const Errc code = saved.error().code;
        const bool place = code == Errc::not_found || code == Errc::no_privilege || code == Errc::bad_input;
        return tl::unexpected<Failure>(Failure{place ? kUsage : kInternal, describe(saved.error())});
    }
    return Answer{0, said(*bundle, options.out, console.terminal), {}};
}

}  // namespace

Answer run(const RecordOptions& options, const Console& console) {
    const OrFailure<Answer> answer = record(options, console);
    return answer ? *answer : answer_from(answer.error());
}

}  // namespace rd::cli
