// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace rd::daemon {
namespace {

using std::chrono::nanoseconds;

// Events come in bursts: what they changed is looked at once for all of them, and what is read by the minute no more often than twice as
// often as without them, for a link that flaps all night must not have its module asked all night.
constexpr std::int64_t kSoon = 200'000'000, kFull = 30'000'000'000;
// Beyond this the store is not keeping up, and memory is worth more.
constexpr std::size_t kMostHeld = 20'000;
// What an event is about is looked for so long, as what is there is listed once a second, and of so many.
constexpr std::int64_t kUnnamed = 1'500'000'000;
constexpr std::size_t kMostUnnamed = 1000;

// Would a sweep see something differently? Of interfaces, those that carry RDMA count: containers come and go.
bool changes_something(const HostEvent& event, const Names& names) {
    if (event.source == "kmsg" || event.source == "address") return false;
    if (event.name == "overrun") return true;
    const bool of_interface =
        event.source == "link" || (event.source == "uevent" && event.detail("subsystem") == "net");
    if (!of_interface) return true;
    const auto entity = names.find(event.source, event.subject);
    return entity && names.carries_rdma(*entity);
}

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
    const auto same = [&](const HostEvent& one) { return one.subject == event.subject; };
    if (std::ranges::none_of(inbox_.unnamed, same)) {
        Happening happening = names_->happening(event);
        if (happening.entity) return happening;
    }
    if (inbox_.unnamed.size() >= kMostUnnamed) return names_->happening(event);
    inbox_.unnamed.push_back(event);
    return std::nullopt;
}

void Recorder::opened(const FoldedEvent& event) {
    const std::lock_guard lock(mutex_);
    if (inbox_.opened.size() >= kMostHeld) {
        ++inbox_.refused;
        return;
    }
    inbox_.opened.push_back(event);
    if (changes_something(event.event, *names_)) inbox_.soon = true;
    wake_.notify_one();
}

void Recorder::closed(const FoldedEvent& event) {
    const std::lock_guard lock(mutex_);
    if (inbox_.closed.size() >= kMostHeld) {
        inbox_.refused += event.event.count - 1;  // the first was told of when it opened
        return;
    }
    inbox_.closed.push_back(event);
    // Who follows the events waits for the count, and does so for a second only.
    if (event.event.count > 1) wake_.notify_one();
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
        const bool news = !inbox_.opened.empty() || !inbox_.closed.empty();
        if (stopping_ || now >= wanted || news || !inbox_.requests.empty()) break;
        wake_.wait_for(lock, nanoseconds(wanted - now));
    }
    Inbox taken = std::move(inbox_);
    inbox_ = Inbox{};
    // Until a look has answered them.
    inbox_.soon = taken.soon;
    inbox_.unnamed = std::exchange(taken.unnamed, {});
    return taken;
}

void Recorder::work(Inbox inbox) {
    tell(inbox.unnamed);
    watch_->keep(inbox.opened, inbox.closed);
    if (inbox.refused > 0) watch_->miss(inbox.refused);
    if (inbox.requests.empty()) return;
    const std::shared_ptr<const Frame> frame = watch_->frame();
    for (const auto& take : inbox.requests) take(frame);
}

void Recorder::tell(const std::vector<HostEvent>& unnamed) {
    if (unnamed.empty()) return;
    std::vector<Happening> happenings;
    for (const HostEvent& one : unnamed) happenings.push_back(watch_->names()->happening(one));
    tell_.happenings(std::move(happenings));
}

void Recorder::look(Due due) {
    std::unique_lock lock(mutex_);
    inbox_.soon = false;  // what comes while it looks may be about what it has not seen
    lock.unlock();
    News news = watch_->look(due);
    if (auto note = textfile_.swept(watch_->now().boot_ns, [&] { return watch_->frame(); }))
        news.notes.push_back(std::move(*note));
    last_look_ = watch_->now().boot_ns;
    lock.lock();
    names_ = watch_->names();
    const auto rest = std::ranges::stable_partition(inbox_.unnamed, [&](const HostEvent& one) {
        return last_look_ - one.at.boot_ns > kUnnamed || names_->happening(one).entity;
    });
    const std::vector<HostEvent> named(inbox_.unnamed.begin(), rest.begin());
    inbox_.unnamed.erase(inbox_.unnamed.begin(), rest.begin());
    tell(named);  // before anybody is told of what came after them
    lock.unlock();
    tell_.news(std::move(news));
    ++sweeps_;
}

void Recorder::run() {
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
            look(full ? Due::soon : Due::by_cadence);
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
