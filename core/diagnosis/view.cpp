// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/view.h"

namespace rd {

void View::move_on(Kinds kinds) {
    for (int kind = 0; kind < kKindCount; ++kind) {
        if ((kinds & only(static_cast<Kind>(kind))) != 0) entities_[static_cast<std::size_t>(kind)].reset();
    }
}

History::Slot View::slot(const Entity& entity, std::string_view fact) const {
    const History::Slot found = history_.slot(entity, fact);
    if (reads_ == nullptr) return found;
    if (found) {
        reads_->slots.push_back(*found);
    } else {
        reads_->unplaced = true;
    }
    return found;
}

History::Slot View::slot(const Entity& entity, std::string_view fact, std::chrono::nanoseconds window) const {
    const History::Slot found = slot(entity, fact);
    if (reads_ != nullptr && !reads_->passing) reads_->passing = !history_.steady(found, window);
    return found;
}

Observation View::observe(const Entity& entity, std::string_view fact) const {
    return history_.observe(slot(entity, fact));
}

tl::expected<Increase, Gap> View::increase(const Entity& entity, std::string_view fact,
                                           std::chrono::nanoseconds window) const {
    return history_.increase(slot(entity, fact, window), window);
}

tl::expected<double, Gap> View::aggregate(const Entity& entity, std::string_view fact, std::chrono::nanoseconds window,
                                          Aggregate how) const {
    return history_.aggregate(slot(entity, fact, window), window, how);
}

tl::expected<bool, Gap> View::changed(const Entity& entity, std::string_view fact,
                                      std::chrono::nanoseconds window) const {
    return history_.changed(slot(entity, fact, window), window);
}

bool View::has(const Entity& entity) const {
    if (reads_ != nullptr) reads_->kinds |= only(entity.kind);
    return history_.latest().has(entity);
}

const Gap* View::kind_gap(Kind kind) const {
    if (reads_ != nullptr) reads_->kinds |= only(kind);
    return history_.latest().kind_gap(kind);
}

const std::vector<Entity>& View::entities(Kind kind) {
    if (reads_ != nullptr) reads_->kinds |= only(kind);
    auto& known = entities_[static_cast<std::size_t>(kind)];
    if (!known) known = history_.latest().entities(kind);
    return *known;
}

}  // namespace rd
