// SPDX-License-Identifier: GPL-2.0-or-later
// Which alerts there are, and what is told of them. Time is the boot clock of the stamps that come in, so that a step of the wall clock
// changes nothing, and it never goes back.
//
//   one trouble of one thing is one alert   whoever tells of it: "rdma-link" of mlx5_0/1 by verbs, by the carrier of its interface, and
//                                           by rules (kinds.h). It lasts until none of them tells of it any more.
//   hold          a finding is told when it has lasted this long; events are told at once
//   clear_after   it is over when it has been quiet this long; what comes again before is no new alert
//   flapping      it came `flap_count` times within `flap_window`: that is told once, then nothing until it has been steady for a window
//   consequences  what another alert brought about is not raised while that one is there; it is, when that one is over and it is not
//   repeat        told again while it lasts
//   acknowledge   nothing more is told of it until it is over, or worse than what was acknowledged
//   silence       nothing is told of what matches, nor of what that brought about; at its end what is still there is raised
//
// After a raise there is no second one before a clear, across restarts too: see save().
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/records.h"
#include "daemon/alerts/alert.h"
#include "daemon/alerts/config.h"
#include "daemon/alerts/kinds.h"

namespace rd::daemon {

class AlertBook {
public:
    using Actions = std::vector<Action>;
    static constexpr std::size_t kMostAlerts = 4096;

    explicit AlertBook(BookConfig config = {});

    // All that changed in one sweep together: a consequence may stand before its cause.
    [[nodiscard]] Actions take(std::span<const FindingChange> changes, Stamp now);
    [[nodiscard]] Actions take(const Happening& happening);
    // What time alone brings. Harmless at any time; due() says when there will be something.
    [[nodiscard]] Actions tick(Stamp now);
    [[nodiscard]] std::optional<std::int64_t> due() const;  // boot clock

    // A sign of an alert, as the sweep may know better: an end of it can be missed (an overrun, a restart).
    struct Sign {
        bool event = false;  // told by the kernel, else a finding
        std::string rule;    // id of the rule, or "verbs/PORT_ERR"
        Subject subject;
    };
    // Ends the signs that `stands` denies, except those younger than `seen`, the time of the sweep it knows of.
    [[nodiscard]] Actions settle(Stamp seen, const std::function<bool(const Sign&)>& stands);

    [[nodiscard]] Result<Actions> acknowledge(std::string_view fingerprint, std::string by, std::string comment,
                                              Stamp now);
    // Matches something, and `until` lies in the future: else an Error. Gives its id.
    [[nodiscard]] Result<std::string> silence(Silence silence, Stamp now);
    [[nodiscard]] Result<Actions> unsilence(std::string_view id, Stamp now);

    [[nodiscard]] std::vector<Alert> alerts() const;  // raised, firing or held back; the worst first
    [[nodiscard]] const std::vector<Silence>& silences() const { return silences_; }
    [[nodiscard]] std::uint64_t refused() const { return refused_; }  // beyond kMostAlerts

    // All that must not be forgotten, as text; its form has a version. Times are put right after a reboot by the wall clock.
    [[nodiscard]] std::string save(std::string_view boot_id, Stamp now) const;
    // Into an empty book. bad_input: foreign or damaged; the book stays empty. After the first sweep settle() belongs here.
    [[nodiscard]] Result<> restore(std::string_view text, std::string_view boot_id, Stamp now);

private:
    struct Told {  // by one rule or event
        Sign sign;
        Severity severity = Severity::info;
        std::string title, text;
        std::vector<std::string> evidence;
        std::vector<Cause> causes;
        bool excuses = false;
        Stamp at;
        std::int64_t expires = 0;  // boot clock; 0: never
    };
    struct Track {
        std::string name;
        Subject subject;
        bool known = true;  // the subject's entity, not only what the kernel calls it
        std::map<std::string, Told> told;
        Told last;                         // that told most of it, also when nothing does any more
        std::vector<std::int64_t> starts;  // within flap_window, at most flap_count
        std::uint64_t times = 0;
        Stamp since;
        std::int64_t firing_from = 0, quiet_from = 0, told_at = 0;  // boot clock
        Severity worst = Severity::info, told_severity = Severity::info;
        bool raised = false, flapping = false, told_flapping = false, told_excused = false;
        std::optional<Acknowledgement> acknowledged;
        Severity acknowledged_severity = Severity::info;

        [[nodiscard]] bool firing() const { return !told.empty(); }
    };
    using Key = std::string;  // trouble and thing
    using Item = std::pair<const Key, Track>;

    Track* track(std::string_view trouble, const Subject& thing, bool known);
    Key key_of(std::string_view trouble, const Subject& thing, bool known) const;
    void put(Track& track, std::string sign, Told told, std::uint64_t count);
    void drop(Track& track, const std::string& sign);
    void count(Track& track, std::uint64_t times);

    Actions step();
    void step(Item& item, Actions& out);
    void step_firing(Item& item, Actions& out);
    void step_quiet(Item& item, Actions& out);
    void tell(Item& item, Deed deed, Reason reason, Actions& out);
    void advance(Stamp now);
    void expire();
    void age(Track& track) const;
    [[nodiscard]] static std::int64_t changed(const Track& track);  // boot clock

    [[nodiscard]] const Told& lead(const Track& track) const;
    [[nodiscard]] bool excused(const Track& track) const;
    [[nodiscard]] Severity severity_of(const Track& track) const;
    [[nodiscard]] bool held(const Track& track) const;
    [[nodiscard]] const Silence* silenced(const Track& track) const;
    [[nodiscard]] const Track* cause_of(const Track& track, const Cause& cause) const;
    [[nodiscard]] bool caused(const Track& track) const;  // all that tells of it names a cause that is there
    [[nodiscard]] bool folded(const Track& track) const;
    [[nodiscard]] bool reaches_root(const Track& track, std::vector<const Track*>& seen) const;
    [[nodiscard]] Alert view(const Item& item) const;
    [[nodiscard]] std::vector<std::string> consequences(const Track& track) const;
    static std::string fingerprint(std::string_view key);
    void forget_causes(const Key& key);
    [[nodiscard]] Result<> restore_record(const Record& record, std::int64_t shift, Track*& last);

    BookConfig config_;
    std::map<Key, Track> tracks_;
    std::map<std::pair<std::string, Entity>, Key>
        findings_;  // where they stand; ended ones too, while their alert is raised
    std::vector<Silence> silences_;
    std::uint64_t next_silence_ = 1, refused_ = 0;
    Stamp now_;
};

}  // namespace rd::daemon
