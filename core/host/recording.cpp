// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/recording.h"

#include <list>
#include <mutex>
#include <utility>

namespace rd {

struct RecordingHost::State {
    struct Pending {
        std::string name;
        std::size_t moment;  // the one in which the read began
    };
    using Ticket = std::list<Pending>::iterator;

    std::mutex mutex;
    std::vector<Moment> moments{1};
    bool stamped = false;        // somebody asked for the time in the last moment
    std::list<Pending> pending;  // reads that have not come back

    Ticket begin(const std::string& name) {
        const std::lock_guard lock(mutex);
        return pending.insert(pending.end(), {name, moments.size() - 1});
    }

    void finish(Ticket ticket, Result<std::string> answer) {
        const std::lock_guard lock(mutex);
        // Whoever asked in an earlier moment had no answer by its end, and a replay must not give one.
        mark_late(*ticket, moments, moments.size() - 1);
        moments.back().reads.insert_or_assign(std::move(ticket->name), std::move(answer));
        pending.erase(ticket);
    }

    // From the moment in which the read began up to `end`.
    static void mark_late(const Pending& read, std::vector<Moment>& in, std::size_t end) {
        for (std::size_t at = read.moment; at < end; ++at) {
            in[at].reads.insert_or_assign(
                read.name,
                fail(Errc::timed_out, read.name + ": the read had not come back when the recording went on"));
        }
    }
};

namespace {

// The state is shared and the handle below belongs to this one: a lane that is stuck in a read keeps all it needs.
class RecordingHandle final : public Handle {
public:
    RecordingHandle(std::shared_ptr<RecordingHost::State> state, std::unique_ptr<Handle> inner, std::string_view name)
        : state_(std::move(state)), inner_(std::move(inner)), name_(name) {}

    Result<> read(Buffer& into) override {
        const auto ticket = state_->begin(name_);
        Result<> answer = inner_->read(into);
        state_->finish(ticket, answer.map([&] { return std::string(into.text()); }));
        return answer;
    }

private:
    std::shared_ptr<RecordingHost::State> state_;
    std::unique_ptr<Handle> inner_;
    std::string name_;
};

}  // namespace

RecordingHost::RecordingHost(Host& inner) : inner_(inner), state_(std::make_shared<State>()) {
    state_->moments.back().stamp = inner.now();
}

RecordingHost::~RecordingHost() = default;

std::unique_ptr<Handle> RecordingHost::open(std::string_view name) const {
    return std::make_unique<RecordingHandle>(state_, inner_.open(name), name);
}

Result<std::vector<std::string>> RecordingHost::list(std::string_view path) const {
    auto answer = inner_.list(path);
    const std::lock_guard lock(state_->mutex);
    state_->moments.back().lists.insert_or_assign(std::string(path), answer);
    return answer;
}

Result<std::string> RecordingHost::link(std::string_view path) const {
    auto answer = inner_.link(path);
    const std::lock_guard lock(state_->mutex);
    state_->moments.back().links.insert_or_assign(std::string(path), answer);
    return answer;
}

Result<> RecordingHost::write(std::string_view name, std::string_view) {
    return fail(Errc::not_supported, std::string(name) + ": a recording only reads");
}

// The replay of a moment has one time. It is the first that was asked for, which is when the sweep began.
Stamp RecordingHost::now() const {
    const Stamp stamp = inner_.now();
    const std::lock_guard lock(state_->mutex);
    if (!std::exchange(state_->stamped, true)) state_->moments.back().stamp = stamp;
    return stamp;
}

const HostIdentity& RecordingHost::identity() const { return inner_.identity(); }

bool RecordingHost::advance(std::chrono::nanoseconds interval) {
    if (!inner_.advance(interval)) return false;
    const Stamp stamp = inner_.now();
    const std::lock_guard lock(state_->mutex);
    state_->moments.emplace_back().stamp = stamp;
    state_->stamped = false;
    return true;
}

Bundle RecordingHost::bundle() const {
    Bundle bundle;
    bundle.identity = inner_.identity();
    const std::lock_guard lock(state_->mutex);
    bundle.moments = state_->moments;
    for (const State::Pending& read : state_->pending) State::mark_late(read, bundle.moments, bundle.moments.size());
    return bundle;
}

}  // namespace rd
