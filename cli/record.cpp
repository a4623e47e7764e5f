// SPDX-License-Identifier: GPL-2.0-or-later
#include <map>
#include <memory>
#include <utility>

#include "cli/commands.h"
#include "cli/embedded.h"
#include "cli/files.h"
#include "cli/look.h"
#include "cli/render/page.h"
#include "cli/render/words.h"
#include "core/base/text.h"
#include "core/host/live.h"
#include "core/host/recording.h"

namespace rd::cli {
namespace {

// One lifetime for both: a thread that is stuck in a read keeps the host it was given, and that one needs the other.
struct Recorder {
    std::unique_ptr<Host> live = live_host();
    RecordingHost recording{*live};
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
    Page page(terminal);
    page.line(0, {{out, Paint::bold},
                  {": " + counted(bundle.moments.size(), "sweep", "sweeps") + " over " + seconds_text(window)}});
    page.prose(2, counted(contents.answers, "answer", "answers") + ", " +
                      std::to_string((contents.bytes + 1023) / 1024) + " KiB; " +
                      counted(contents.failures, "read", "reads") + " failed and are kept as such");
    page.prose(
        2,
        "Not scrubbed: it holds host name, addresses, GUIDs, serial numbers, kernel messages and process names. Look "
        "before you give it away.",
        Paint::yellow);
    if (!contents.refused.empty()) {
        page.prose(2,
                   counted(contents.refused.size(), "answer", "answers") +
                       " only root would have got: " + some_of(contents.refused, 6),
                   Paint::yellow);
    }
    page.line(2, "rdmadoctor check --from " + out, Paint::dim);
    return page.text();
}

OrFailure<Answer> record(const RecordOptions& options, const Console& console) {
    // Looked at before the sweeps, so that nobody waits for a refusal; save_bundle looks again when it writes.
    if (exists(options.out)) return usage_failure(options.out + ": exists already; a bundle is never overwritten");
    auto setup = load_setup({});
    if (!setup) return tl::unexpected<Failure>(setup.error());
    const auto recorder = std::make_shared<Recorder>();
    const std::shared_ptr<Host> host(recorder, &recorder->recording);
    LookOptions looking;
    looking.sweeps = options.sweeps;
    looking.interval = options.duration / (options.sweeps - 1);
    looking.deadline = kRecordSweepDeadline;
    Progress progress(console.progress);
    (void)look(host, *setup, looking, progress);
    Bundle bundle = recorder->recording.bundle();
    bundle.tool = tool_name();
    const Result<> saved = save_bundle(bundle, options.out);
    if (!saved) {
        const Errc code = saved.error().code;
        const bool place = code == Errc::not_found || code == Errc::no_privilege || code == Errc::bad_input;
        return tl::unexpected<Failure>(Failure{place ? kUsage : kInternal, describe(saved.error())});
    }
    return Answer{0, said(bundle, options.out, console.terminal), {}};
}

}  // namespace

Answer run(const RecordOptions& options, const Console& console) {
    const OrFailure<Answer> answer = record(options, console);
    return answer ? *answer : answer_from(answer.error());
}

}  // namespace rd::cli
