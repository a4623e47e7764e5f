// SPDX-License-Identifier: GPL-2.0-or-later
// The thread that waits: for events of the kernel, for what the recorder has to tell, for signals and timers. It carries news to the
// alerts and actions of the alerts to the journal, the hook and the spool. It never waits for a disk or a device.
#pragma once

#include <systemd/sd-event.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "daemon/alert_desk.h"
#include "daemon/alerts/book.h"
#include "daemon/alerts/hook.h"
#include "daemon/alerts/journal.h"
#include "daemon/alerts/spool.h"
#include "daemon/recorder.h"
#include "daemon/settings.h"
#include "daemon/sources.h"

namespace rd::daemon {

struct LoopOptions {
    Settings settings;
    AlertsConfig alerts;
    std::string alerts_file;  // where the alerts are remembered; empty: nowhere
    HostIdentity host;
    bool foreground = false;
    bool events = true;  // of this kernel; not for a copy of a host
    // Asked when the settings are to be read again, on the loop's thread: false, and it goes on as it is.
    std::function<bool()> may_reload;
};

enum class Ended { stop, reload };

class Loop {
public:
    static Result<std::unique_ptr<Loop>> make(LoopOptions options);
    ~Loop();

    // What the recorder's thread tells: handed over to the loop's.
    [[nodiscard]] Recorder::Tell tell();
    // Until a signal ends it. The recorder has been started.
    [[nodiscard]] Result<> run(Recorder& recorder);
    // What the recorder has told since: when it has been stopped. How it ended: a stop may have come last.
    [[nodiscard]] Ended finish();
    // Where others see the alerts, and leave what they want done. Closed when run() is over.
    [[nodiscard]] AlertDesk& desk() { return desk_; }

private:
    explicit Loop(LoopOptions options);
    Result<> prepare();
    void restore();
    Result<> save();
    void spool_all();
    void ring();
    [[nodiscard]] AlertsView lay_out() const;
    [[nodiscard]] Result<Done> obey(const Order& order);

    static int on_signal(sd_event_source*, const signalfd_siginfo* info, void* loop);
    static int on_outbox(sd_event_source*, int, std::uint32_t, void* loop);
    static int on_hook(sd_event_source*, int, std::uint32_t, void* loop);
    static int on_time(sd_event_source*, std::uint64_t, void* loop);
    static int on_beat(sd_event_source*, std::uint64_t, void* loop);

    void take_outbox();
    void act(const AlertBook::Actions& actions);
    void settle(const Standing& standing);
    void tick();
    void let_hook_finish();
    void arm();
    void heard(const HostEvent& event);
    void opened(const FoldedEvent& event);

    LoopOptions options_;
    AlertBook book_;
    Journal journal_;
    std::optional<Hook> hook_;
    std::optional<Spool> spool_;
    sd_event* loop_ = nullptr;
    sd_event_source* timer_ = nullptr;
    std::unique_ptr<Sources> sources_;
    Descriptor bell_;  // rung when there is something in the outbox, or on the desk
    AlertDesk desk_;
    std::mutex mutex_;
    struct Outbox {
        std::vector<News> news;
        std::vector<std::vector<Happening>> happenings;
    } outbox_;
    Recorder* recorder_ = nullptr;
    std::optional<Ended> ended_;
    std::uint64_t turns_ = 0;
    std::int64_t turned_ = 0;  // boot clock when the recorder was last seen to go on
    std::uint64_t lost_ = 0;   // of the spool, when all was told last
    bool ready_ = false;
};

}  // namespace rd::daemon
