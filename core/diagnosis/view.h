// SPDX-License-Identifier: GPL-2.0-or-later
// The newest moment of a history as conditions look at it, and what they looked at: a condition of which nothing that it read has
// changed is as true as it was.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include "core/facts/history.h"

namespace rd {

struct Reads {
    std::vector<SlotIndex> slots;
    Kinds kinds = 0;        // of which the entities were counted through, or one was asked whether it is there
    bool unplaced = false;  // a fact that has no slot yet
    bool passing = false;   // a window with something in it that will leave it
};

class View {
public:
    explicit View(const History& history) : history_(history) {}

    // What is looked at from now on is added to `into`; nullptr: nowhere. Once each is not promised.
    void note(Reads* into) { reads_ = into; }
    // The history has got another sweep, with which entities of these kinds came or went.
    void move_on(Kinds kinds);

    [[nodiscard]] Observation observe(const Entity& entity, std::string_view fact) const;
    [[nodiscard]] tl::expected<Increase, Gap> increase(const Entity& entity, std::string_view fact,
                                                       std::chrono::nanoseconds window) const;
    [[nodiscard]] tl::expected<double, Gap> aggregate(const Entity& entity, std::string_view fact,
                                                      std::chrono::nanoseconds window, Aggregate how) const;
    [[nodiscard]] tl::expected<bool, Gap> changed(const Entity& entity, std::string_view fact,
                                                  std::chrono::nanoseconds window) const;
    [[nodiscard]] bool has(const Entity& entity) const;
    [[nodiscard]] const Gap* kind_gap(Kind kind) const;
    [[nodiscard]] const std::vector<Entity>& entities(Kind kind);  // as Snapshot::entities(), made once

    [[nodiscard]] const History& history() const { return history_; }
    [[nodiscard]] Stamp last() const { return history_.last(); }

private:
    [[nodiscard]] History::Slot slot(const Entity& entity, std::string_view fact) const;
    [[nodiscard]] History::Slot slot(const Entity& entity, std::string_view fact,
                                     std::chrono::nanoseconds window) const;

    const History& history_;
    Reads* reads_ = nullptr;
    std::array<std::optional<std::vector<Entity>>, kKindCount> entities_;
};

}  // namespace rd
