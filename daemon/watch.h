// SPDX-License-Identifier: GPL-2.0-or-later
// One host, watched: sweep, history, judgement, store. No thread and no clock of its own: whoever calls look() decides when, the host
// says what time it is, so that a day can be watched in a minute.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/diagnosis/judge.h"
#include "core/diagnosis/tracker.h"
#include "core/facts/sweep.h"
#include "core/host/events/fold.h"
#include "core/store/store.h"
#include "daemon/alerts/alert.h"
#include "daemon/frame.h"
#include "daemon/names.h"
#include "daemon/nvme_states.h"
#include "daemon/qp_errors.h"

namespace rd::daemon {

struct WatchOptions {
    std::chrono::nanoseconds deadline = std::chrono::milliseconds(800);  // of a sweep
    std::chrono::nanoseconds first_deadline = std::chrono::seconds(5);   // of the first, which finds out what there is
    Site site;
    std::string store;  // path; empty: nothing is kept
    store::Limits limits;
};

// What there is, said when it is known after a start and then now and again: the end of something may have been missed, by a daemon that
// was not running or by a kernel that had too much to tell.
struct Standing {
    Stamp at;                                           // it knows nothing of what is younger
    std::set<std::pair<std::string, Entity>> findings;  // rule and subject; also those that may be there
    std::set<Entity> up;                                // ports that are active, interfaces that have a carrier
};

// What somebody is to be told.
struct News {
    std::vector<FindingChange> findings;
    std::vector<std::string> notes;  // lines for the log
    std::optional<Standing> standing;
};

class Watch {
public:
    // The book must outlive it.
    Watch(std::shared_ptr<const Host> host, const Rulebook& book, WatchOptions options);
    ~Watch();

    News look(Due due);
    void late() { ++health_.late_sweeps; }  // the next look comes more than half an interval after its time

    // As of the last look.
    [[nodiscard]] const std::shared_ptr<const Names>& names() const { return names_; }
    // Keeps them: first what opened, later, when it is known, how many there were.
    void keep(std::span<const FoldedEvent> opened, std::span<const FoldedEvent> closed);
    void miss(std::uint64_t events);  // that came faster than they were taken

    [[nodiscard]] std::shared_ptr<const Frame> frame();
    [[nodiscard]] Stamp now() const { return host_->now(); }
    // Notes since the last look, with those of the end.
    std::vector<std::string> stop();

private:
    // A rule over rates has two looks by then, and what is read by the minute was read.
    static constexpr std::uint64_t kSettled = 3;

    // What is kept (watch_keep.cpp).
    void open_store();
    void close_store();
    void take_notes();
    void trouble(const Error& error);
    void trouble_with_write(const Error& error);
    void lose(std::uint64_t events, const Error& error);
    void tell_of_hole();
    [[nodiscard]] std::string describe_hole() const;
    void keep(const Snapshot& snapshot);
    void keep(const std::vector<FindingChange>& changes);
    void keep(const std::vector<store::Event>& events);
    [[nodiscard]] store::Event event_of(const FoldedEvent& one) const;
    // The number of each row; none when they are lost, all `count` of them.
    std::vector<std::int64_t> add(const std::vector<store::Event>& events, std::uint64_t count);
    [[nodiscard]] store::FindingRow row_of(const FindingChange& begun) const;
    void hold(const std::vector<FindingChange>& changes);
    void hold_no_more_than(std::size_t most);
    [[nodiscard]] bool write(std::span<const store::Store::Found> sweeps);
    void write_held();
    void keep_again();
    void settle_inherited();

    [[nodiscard]] std::vector<Verdict> verdicts();
    [[nodiscard]] const Report& report();
    [[nodiscard]] const Finding* reported(const std::string& rule, const Entity& subject);
    [[nodiscard]] bool renamed() const;
    // It is time to say what there is, and to end what the last run left open.
    [[nodiscard]] bool takes_stock() const;
    // By rule and subject: what is not known to have ended goes on.
    [[nodiscard]] std::set<std::pair<std::string, Entity>> not_ended();
    [[nodiscard]] Standing standing();
    [[nodiscard]] FindingChange told(const Tracker::Change& change);

    std::shared_ptr<const Host> host_;
    const Rulebook& book_;
    WatchOptions options_;
    Sweep sweep_;
    History history_;
    Judge judge_;
    Tracker tracker_;
    QpErrors qp_errors_;
    NvmeStates nvme_states_;
    std::unique_ptr<store::Store> store_;
    Stamp tried_;                   // when opening the store was tried last
    std::int64_t hour_ = -1;        // of the last maintenance
    std::optional<Error> trouble_;  // of the store
    // Since when something is not kept, the first reason, whether there was no store at all, and how much there was.
    struct Hole {
        Stamp since;
        std::string why;
        bool closed = false;
        std::uint64_t events = 0, findings = 0;
    };
    std::optional<Hole> hole_;
    // Findings that began and ended while nothing could be written, by the look that saw them: they are written later, with their time.
    struct Held {
        Stamp at;
        store::Store::Found found;
        [[nodiscard]] std::size_t size() const { return found.begun.size() + found.ended.size(); }
    };
    std::deque<Held> held_;
    bool behind_ = false;          // the store may lack findings that go on, and have some that no longer do
    std::int64_t retry_ = 0;       // boot time before which neither is tried again
    std::optional<Error> damage_;  // found in the file, which is to be set aside
    std::vector<store::Store::Ended> inherited_;  // findings that went on when the last run ended, to be ended perhaps
    std::map<std::uint64_t, std::int64_t> rows_;  // of folded events that are open
    std::optional<Report> report_;                // of the last look, when somebody has asked
    std::shared_ptr<const Names> names_ = std::make_shared<const Names>();
    Health health_;
    std::vector<std::string> notes_;
};

}  // namespace rd::daemon
