// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/events/queue.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/host/events/fold.h"

namespace rd::events {
namespace {

constexpr std::int64_t kWindowNs = 1'000'000'000;
constexpr std::size_t kMany = 4096;

}  // namespace

Result<std::shared_ptr<EventQueue>> EventQueue::make() {
    Descriptor ready(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    if (!ready) return tl::unexpected(error_from_errno(errno, "eventfd"));
    return std::make_shared<EventQueue>(std::move(ready));
}

void EventQueue::push(HostEvent event) {
    std::string key = fold_key(event);
    const std::lock_guard lock(mutex_);
    if (const auto found = newest_.find(key); found != newest_.end()) {
        HostEvent& known = found->second->event;
        const bool same = known.details == event.details && event.at.boot_ns - known.at.boot_ns < kWindowNs;
        if (same || waiting_.size() >= kMany) {
            known.count += event.count;
            return;
        }
        newest_.erase(found);
    }
    waiting_.push_back({std::move(event), std::move(key)});
    const auto fresh = std::prev(waiting_.end());
    newest_.emplace(fresh->key, fresh);
    const std::uint64_t one = 1;
    if (waiting_.size() == 1) (void)!::write(ready_.get(), &one, sizeof(one));
}

EventSource::Left EventQueue::drain(const EventSource::Sink& sink, std::size_t most) {
    std::list<Waiting> taken;
    bool more = false;
    {
        const std::lock_guard lock(mutex_);
        for (std::size_t i = 0; i < std::max<std::size_t>(most, 1) && !waiting_.empty(); ++i) {
            const auto newest = newest_.find(waiting_.front().key);
            if (newest != newest_.end() && newest->second == waiting_.begin()) newest_.erase(newest);
            taken.splice(taken.end(), waiting_, waiting_.begin());
        }
        more = !waiting_.empty();
        std::uint64_t count = 0;
        if (!more) (void)!::read(ready_.get(), &count, sizeof(count));
    }
    // Not under the lock: whoever puts in must not wait for whoever takes out.
    for (Waiting& each : taken) sink(std::move(each.event));
    return more ? EventSource::Left::more : EventSource::Left::nothing;
}

}  // namespace rd::events
