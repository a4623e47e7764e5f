// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/loop.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <algorithm>

#include "core/host/identity.h"
#include "daemon/alerts/kinds.h"
#include "daemon/alerts/payload.h"
#include "daemon/log.h"

namespace rd::daemon {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kBeatUsec = 5'000'000;
// A sweep with its deadline takes a second, the packing of an hour less; a disk that hangs takes as long as it wants.
constexpr std::int64_t kStuck = 60 * kSecond;
constexpr std::size_t kMostState = 8u << 20;
constexpr std::int64_t kHookFinish = 5 * kSecond;

Error of_sd(int code, std::string_view doing) { return error_from_errno(-code, doing); }

}  // namespace

Result<std::unique_ptr<Loop>> Loop::make(LoopOptions options) {
    std::unique_ptr<Loop> loop(new Loop(std::move(options)));
    if (auto done = loop->prepare(); !done) return tl::unexpected(std::move(done.error()));
    return loop;
}

Loop::Loop(LoopOptions options)
    : options_(std::move(options)),
      book_(options_.alerts.book),
      journal_(options_.foreground),
      desk_([this] { ring(); }) {}

Loop::~Loop() {
    sources_.reset();
    sd_event_source_disable_unref(timer_);
    sd_event_unref(loop_);
}

Result<> Loop::prepare() {
    if (const int code = sd_event_new(&loop_); code < 0) return tl::unexpected(of_sd(code, "event loop"));
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
        if (const int code = sd_event_add_signal(loop_, nullptr, signal, on_signal, this); code < 0) {
            return tl::unexpected(of_sd(code, "signals"));
        }
    }
    bell_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!bell_) return tl::unexpected(error_from_errno(errno, "eventfd"));
    sd_event_add_io(loop_, nullptr, bell_.get(), EPOLLIN, on_outbox, this);
    // What cannot be told with is said, and the rest goes on: a reload must not end the watching.
    if (!options_.alerts.hook.path.empty()) {
        if (auto hook = Hook::open(options_.alerts.hook)) {
            hook_.emplace(std::move(*hook));
            sd_event_add_io(loop_, nullptr, hook_->fd(), EPOLLIN, on_hook, this);
        } else {
            log(Priority::error, "no hook is run for alerts: " + describe(hook.error()));
        }
    }
    const AlertmanagerConfig& manager = options_.alerts.alertmanager;
    if (!manager.urls.empty()) {
        auto spool = Spool::open(manager.spool, {std::size_t(manager.most_entries), std::uint64_t(manager.most_bytes)},
                                 Spool::Use::write);
        // It was there when the configuration was read.
        if (spool) {
            spool_.emplace(std::move(*spool));
        } else {
            log(Priority::error, "no alerts go to Alertmanager: " + describe(spool.error()));
        }
    }
    sd_event_source* beat = nullptr;
    sd_event_add_time_relative(loop_, &beat, CLOCK_MONOTONIC, kBeatUsec, 0, on_beat, this);
    sd_event_source_set_floating(beat, 1);
    sd_event_source_unref(beat);
    restore();
    return {};
}

void Loop::restore() {
    const Stamp now = current_stamp();
    if (!options_.alerts_file.empty() && ::access(options_.alerts_file.c_str(), F_OK) == 0) {
        const auto text = read_whole(options_.alerts_file, kMostState);
        const auto done =
            text ? book_.restore(*text, options_.host.boot_id, now) : Result<>(tl::unexpected(text.error()));
        if (!done) log(Priority::warning, "alerts of the last run are forgotten: " + done.error().what);
    }
    spool_all();
}

// Makes good whatever the spool has lost, to a power cut or to its limits.
void Loop::spool_all() {
    if (!spool_) return;
    auto done = spool_->put(Spool::kAll, spool_json(book_.alerts(), current_stamp(), options_.host,
                                                    options_.alerts.alertmanager.generator_url));
    if (!done) log(Priority::error, "alerts could not be put into the spool: " + done.error().what);
    lost_ = spool_->lost();
}

Result<> Loop::save() {
    if (options_.alerts_file.empty()) return {};
    auto done = write_whole(options_.alerts_file, book_.save(options_.host.boot_id, current_stamp()), false);
    if (!done) log(Priority::warning, "alerts are not remembered: " + done.error().what);
    return done;
}

void Loop::ring() {
    const std::uint64_t one = 1;
    // Full only when it has been rung 2^64 times.
    static_cast<void>(!::write(bell_.get(), &one, sizeof one));
}

Recorder::Tell Loop::tell() {
    return {[this](News news) {
                {
                    const std::lock_guard lock(mutex_);
                    outbox_.news.push_back(std::move(news));
                }
                ring();
            },
            [this](std::vector<Happening> happenings) {
                {
                    const std::lock_guard lock(mutex_);
                    outbox_.happenings.push_back(std::move(happenings));
                }
                ring();
            }};
}

AlertsView Loop::lay_out() const { return {current_stamp(), book_.alerts(), book_.silences(), book_.refused()}; }

Result<Done> Loop::obey(const Order& order) {
    auto done = carry_out(order, book_, current_stamp());
    if (!done) return done;
    log(Priority::info, done->note);
    act(done->actions);
    // In force all the same; but who was told so would count on it.
    if (auto saved = save(); !saved) {
        saved.error().what = "done, but not saved, so that a restart forgets it: " + saved.error().what;
        return tl::unexpected(std::move(saved.error()));
    }
    return done;
}

Result<> Loop::run(Recorder& recorder) {
    recorder_ = &recorder;
    if (options_.events) {
        sources_ =
            std::make_unique<Sources>(loop_, options_.settings.contexts,
                                      Sources::Out{[this](const HostEvent& event) { heard(event); },
                                                   [this](const FoldedEvent& event) { opened(event); },
                                                   [this](const FoldedEvent& event) { recorder_->closed(event); }});
        for (const std::string& note : sources_->notes()) log(Priority::info, note);
    }
    while (!ended_) {
        if (const int code = sd_event_run(loop_, UINT64_MAX); code < 0)
            return tl::unexpected(of_sd(code, "event loop"));
    }
    sd_notify(0, *ended_ == Ended::reload ? "RELOADING=1" : "STOPPING=1");
    let_hook_finish();  // events are heard meanwhile
    if (sources_) sources_->close();
    sources_.reset();
    desk_.close();
    return {};
}

Ended Loop::finish() {
    take_outbox();
    let_hook_finish();
    static_cast<void>(save());  // it has said why not
    return ended_.value_or(Ended::stop);
}

// An alert is told once: what a reload or a stop cut off here would not be told again.
void Loop::let_hook_finish() {
    if (!hook_) return;
    const std::int64_t until = current_stamp().boot_ns + kHookFinish;
    while (hook_->running() + hook_->waiting() > 0) {
        const std::int64_t left = until - current_stamp().boot_ns;
        if (left <= 0) {
            log(Priority::warning,
                fmt::format("the hook for alerts is ended with {} running and {} waiting: they are in the journal, "
                            "and not told again",
                            hook_->running(), hook_->waiting()));
            return;
        }
        if (sd_event_run(loop_, std::uint64_t(left / 1000 + 1)) < 0) return;
    }
}

void Loop::heard(const HostEvent& event) {
    if (!is_told_of(event.source, event.name)) return;
    if (const auto happening = recorder_->name(event)) {
        take_outbox();  // what happened before it
        act(book_.take(*happening));
        arm();
    }
}

void Loop::opened(const FoldedEvent& event) { recorder_->opened(event); }

int Loop::on_signal(sd_event_source*, const signalfd_siginfo* info, void* loop) {
    Loop& self = *static_cast<Loop*>(loop);
    if (info->ssi_signo != SIGHUP) {
        self.ended_ = Ended::stop;
    } else if (self.ended_ != Ended::stop && (!self.options_.may_reload || self.options_.may_reload())) {
        self.ended_ = Ended::reload;
    }
    return 0;
}

int Loop::on_outbox(sd_event_source*, int fd, std::uint32_t, void* loop) {
    std::uint64_t count = 0;
    static_cast<void>(!::read(fd, &count, sizeof count));
    static_cast<Loop*>(loop)->take_outbox();
    return 0;
}

void Loop::take_outbox() {
    Outbox taken;
    {
        const std::lock_guard lock(mutex_);
        taken = std::exchange(outbox_, {});
    }
    for (const auto& happenings : taken.happenings) {
        for (const Happening& one : happenings) act(book_.take(one));
    }
    for (const News& news : taken.news) {
        for (const std::string& note : news.notes) log(Priority::warning, note);
        if (!news.findings.empty()) act(book_.take(news.findings, news.findings.front().at));
        if (news.standing) settle(*news.standing);
    }
    desk_.serve([this](const Order& order) { return obey(order); }, [this] { return lay_out(); });
    if (!ready_ && recorder_ != nullptr && recorder_->sweeps() > 0) {
        ready_ = true;
        sd_notify(0, "READY=1");
    }
    arm();
}

void Loop::settle(const Standing& standing) {
    act(book_.settle(standing.at, [&](const AlertBook::Sign& sign) {
        if (sign.event) return !standing.up.contains(sign.subject.entity);
        // Where the subjects of a rule could not be listed, the host stands for all of them.
        return standing.findings.contains({sign.rule, sign.subject.entity}) ||
               standing.findings.contains({sign.rule, Entity{Kind::host, ""}});
    }));
}

void Loop::act(const AlertBook::Actions& actions) {
    if (actions.empty()) return;
    for (const Action& action : actions) {
        journal_.write(action);
        if (hook_) hook_->start(hook_json(action, options_.host), current_stamp().boot_ns);
        if (!spool_) continue;
        if (auto done = spool_->put(action.alert.fingerprint,
                                    spool_json(action, options_.host, options_.alerts.alertmanager.generator_url));
            !done) {
            log(Priority::error, "an alert could not be put into the spool: " + done.error().what);
        }
    }
    if (spool_ && spool_->lost() != lost_) spool_all();
    static_cast<void>(save());
}

int Loop::on_hook(sd_event_source*, int, std::uint32_t, void* loop) {
    static_cast<Loop*>(loop)->tick();
    return 0;
}

int Loop::on_time(sd_event_source*, std::uint64_t, void* loop) {
    static_cast<Loop*>(loop)->tick();
    return 0;
}

void Loop::tick() {
    const Stamp now = current_stamp();
    act(book_.tick(now));
    if (hook_) {
        for (const Hook::Ended& run : hook_->tick(now.boot_ns)) {
            const std::string words = run.output.empty() ? "" : ": " + run.output;
            if (!run.ok) {
                log(Priority::warning, fmt::format("the hook for alerts failed: {}{}", run.how, words));
            } else if (!words.empty()) {
                log(Priority::info, "the hook for alerts says" + words);
            }
        }
    }
    arm();
}

// When time alone will bring something.
void Loop::arm() {
    std::optional<std::int64_t> next = book_.due();
    if (hook_) {
        if (const auto due = hook_->due()) next = next ? std::min(*next, *due) : *due;
    }
    timer_ = sd_event_source_disable_unref(timer_);
    if (!next) return;
    const std::int64_t wait = std::max<std::int64_t>(*next - current_stamp().boot_ns, 0) / 1000 + 1;
    sd_event_add_time_relative(loop_, &timer_, CLOCK_MONOTONIC, std::uint64_t(wait), 1000, on_time, this);
}

// The watchdog is fed by the recorder's going on: a daemon that answers and no longer looks is the worst of both.
int Loop::on_beat(sd_event_source* source, std::uint64_t, void* loop) {
    Loop& self = *static_cast<Loop*>(loop);
    const std::int64_t now = current_stamp().boot_ns;
    if (self.recorder_ != nullptr) {
        if (const std::uint64_t turns = self.recorder_->turns(); turns != self.turns_ || self.turned_ == 0) {
            self.turns_ = turns;
            self.turned_ = now;
        }
        if (now - self.turned_ < kStuck) sd_notify(0, "WATCHDOG=1");
        if (self.ready_) sd_notifyf(0, "STATUS=%llu sweeps", static_cast<unsigned long long>(self.recorder_->sweeps()));
    }
    sd_event_source_set_time_relative(source, kBeatUsec);
    sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
    return 0;
}

}  // namespace rd::daemon
