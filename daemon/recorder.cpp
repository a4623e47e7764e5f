// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace rd::daemon {
namespace {

using std::chrono::nanoseconds;

// Events come in bursts: what they changed is looked at once for all of them, and everything at most as often as is harmless.
constexpr std::int64_t kSoon = 200'000'000, kFull = 10'000'000'000;
// Beyond this the store is not keeping up, and memory is worth more.
constexpr std::size_t kMostHeld = 20'000;

}  // namespace

Recorder::Recorder(std::unique_ptr<Watch> watch, nanoseconds interval, Tell tell, Textfile textfile)
    : watch_(std::move(watch)),
      interval_(interval),
      tell_(std::move(tell)),
      textfile_(std::move(textfile)),
      names_(watch_->names()) {}

Recorder::~Recorder() { stop(std::chrono::seconds(5)); }

void Recorder::start() {
    thread_ = std::thread([this] { run(); });
}

bool Recorder::stop(nanoseconds most) {
    if (!thread_.joinable()) return true;
    std::unique_lock lock(mutex_);
    stopping_ = true;
    wake_.notify_all();
    const bool over = ended_.wait_for(lock, most, [&] { return over_; });
    lock.unlock();
    if (over) {
        thread_.join();
    } else {
        thread_.detach();
    }
    return over;
}

std::optional<Happening> Recorder::name(const HostEvent& event) {
    const std::lock_guard lock(mutex_);
    // In their order: what stands is what was said last.
    if (inbox_.unnamed.empty()) {
        Happening happening = names_->happening(event);
        if (happening.entity) return happening;
    }
    if (inbox_.unnamed.size() < kMostHeld) {
        inbox_.unnamed.push_back(event);
    } else {
        ++inbox_.refused;
    }
    wake_.notify_one();
    return std::nullopt;
}

void Recorder::opened(const FoldedEvent& event) {
    const std::lock_guard lock(mutex_);
    if (inbox_.opened.size() >= kMostHeld) {
        ++inbox_.refused;
        return;
    }
    inbox_.opened.push_back(event);
    wake_.notify_one();
}

void Recorder::closed(const FoldedEvent& event) {
    const std::lock_guard lock(mutex_);
    if (inbox_.closed.size() >= kMostHeld) {
        ++inbox_.refused;
        return;
    }
    inbox_.closed.push_back(event);
    // Nobody waits for a count: it is taken with whatever comes next.
}

void Recorder::look_soon() {
    const std::lock_guard lock(mutex_);
    inbox_.soon = true;
    wake_.notify_one();
}

void Recorder::request(std::function<void(std::shared_ptr<const Frame>)> take) {
    const std::lock_guard lock(mutex_);
    inbox_.requests.push_back(std::move(take));
    wake_.notify_one();
}

Recorder::Inbox Recorder::wait(std::int64_t due) {
    std::unique_lock lock(mutex_);
    for (;;) {
        const std::int64_t now = watch_->now().boot_ns, wanted = inbox_.soon ? std::min(due, last_look_ + kSoon) : due;
        if (stopping_ || now >= wanted || !inbox_.opened.empty() || !inbox_.unnamed.empty() || !inbox_.requests.empty())
            break;
        wake_.wait_for(lock, nanoseconds(wanted - now));
    }
    Inbox taken = std::move(inbox_);
    inbox_ = Inbox{};
    inbox_.soon = taken.soon;  // until a look has answered it
    return taken;
}

void Recorder::work(Inbox inbox) {
    if (!inbox.unnamed.empty()) {
        std::vector<Happening> happenings;
        for (const HostEvent& one : inbox.unnamed) happenings.push_back(watch_->names()->happening(one));
        tell_.happenings(std::move(happenings));
    }
    watch_->keep(inbox.opened, inbox.closed);
    if (inbox.refused > 0) {
        News lost;
        lost.notes.push_back(fmt::format("{} events came faster than they could be taken and are lost", inbox.refused));
        tell_.news(std::move(lost));
    }
    if (inbox.requests.empty()) return;
    const std::shared_ptr<const Frame> frame = watch_->frame();
    for (const auto& take : inbox.requests) take(frame);
}

void Recorder::run() {
    const auto look = [&](Due due) {
        News news = watch_->look(due);
        if (auto note = textfile_.swept(watch_->now().boot_ns, [&] { return watch_->frame(); }))
            news.notes.push_back(std::move(*note));
        tell_.news(std::move(news));
        ++sweeps_;
        last_look_ = watch_->now().boot_ns;
        const std::lock_guard lock(mutex_);
        names_ = watch_->names();
        inbox_.soon = false;
    };
    std::int64_t due = watch_->now().boot_ns + interval_.count();
    look(Due::all);  // before anything is asked of it
    for (;;) {
        Inbox inbox = wait(due);
        ++turns_;
        const bool soon = inbox.soon;
        work(std::move(inbox));
        {
            std::unique_lock lock(mutex_);
            if (stopping_) {
                // What came in while it worked is the last there is.
                Inbox rest = std::exchange(inbox_, Inbox{});
                lock.unlock();
                work(std::move(rest));
                break;
            }
        }
        const std::int64_t now = watch_->now().boot_ns;
        if (now >= due) {
            if (now - due > interval_.count() / 2) watch_->late();
            // What was missed is not made up for: it would only be seen later than it is now.
            due = std::max(due + interval_.count(), now - (now - due) % interval_.count() + interval_.count());
            look(Due::by_cadence);
        } else if (soon && now >= last_look_ + kSoon) {
            const bool full = now - last_full_ >= kFull;
            if (full) last_full_ = now;
            look(full ? Due::all : Due::by_cadence);
        }
    }
    News last;
    last.notes = watch_->stop();
    tell_.news(std::move(last));
    const std::lock_guard lock(mutex_);
    over_ = true;
    ended_.notify_all();
}

}  // namespace rd::daemon
