// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/events/fold.h"

#include "core/base/log_line.h"

namespace rd {

std::string fold_key(const HostEvent& event) {
    std::string key;
    key.reserve(event.source.size() + event.name.size() + event.subject.size() + 3);
    key.append(event.source).append(1, '\0').append(event.name).append(1, '\0').append(event.subject);
    if (const std::string_view text = event.detail("text"); !text.empty()) {
        key.append(1, '\0').append(log_shape(text));
    }
    return key;
}

EventFolder::EventFolder(Out opened, Out closed, Limits limits)
    : opened_(std::move(opened)), closed_(std::move(closed)), limits_(limits) {}

void EventFolder::add(HostEvent event) {
    close_until(event.at.boot_ns);
    std::string key = fold_key(event);
    if (const auto found = by_key_.find(key); found != by_key_.end()) {
        FoldedEvent& folded = found->second->folded;
        folded.event.count += event.count;
        folded.last = event.at;
        return;
    }
    while (!open_.empty() && open_.size() >= limits_.open) close_oldest();
    const Stamp at = event.at;
    open_.push_back({{next_id_++, std::move(event), at}, std::move(key)});
    const auto fresh = std::prev(open_.end());
    by_key_.emplace(fresh->key, fresh);
    opened_(fresh->folded);
}

void EventFolder::close_until(std::int64_t boot_ns) {
    for (auto end = due(); end && *end <= boot_ns; end = due()) close_oldest();
}

void EventFolder::close_all() {
    while (!open_.empty()) close_oldest();
}

std::optional<std::int64_t> EventFolder::due() const {
    if (open_.empty()) return std::nullopt;
    return open_.front().folded.event.at.boot_ns + limits_.window.count();
}

void EventFolder::close_oldest() {
    by_key_.erase(open_.front().key);
    const FoldedEvent folded = std::move(open_.front().folded);
    open_.pop_front();
    closed_(folded);
}

}  // namespace rd
