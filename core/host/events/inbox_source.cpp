// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/events/inbox_source.h"

#include <algorithm>

namespace rd {

std::string_view HostEvent::detail(std::string_view key) const {
    const auto found =
        std::find_if(details.begin(), details.end(), [&](const auto& detail) { return detail.first == key; });
    return found == details.end() ? std::string_view() : std::string_view(found->second);
}

namespace events {
namespace {

// A flood that never lets the queue run empty must not put off the comparison for ever.
constexpr std::int64_t kLatestResyncNs = 1'000'000'000;

class InboxSource final : public EventSource {
public:
    explicit InboxSource(SourceParts parts) : parts_(std::move(parts)) {}

    int fd() const override { return parts_.inbox->fd(); }

    Result<Left> drain(const Sink& sink, std::size_t most) override {
        most = std::max<std::size_t>(most, 1);
        std::size_t given = 0;
        for (std::size_t looked = 0; looked < kMostMessages; ++looked) {
            for (; !pending_.empty(); pending_.pop_front()) {
                if (given == most) return Left::more;
                ++given;
                sink(std::move(pending_.front()));
            }
            const auto got = fill();
            if (!got) return tl::unexpected(got.error());
            if (!*got && pending_.empty()) return Left::nothing;
        }
        return Left::more;
    }

private:
    // One message, or what else there is to do. false: nothing.
    Result<bool> fill() {
        Bytes message;
        const auto got = parts_.inbox->receive(message);
        if (!got) return tl::unexpected(got.error());
        const Stamp now = parts_.clock();
        switch (*got) {
            case Inbox::Got::message:
                if (auto taken = parts_.decoder->take(message, pending_); !taken) unreadable(taken.error());
                if (compare_again_ && !overrun_at_) overrun_at_ = now.boot_ns;
                break;
            case Inbox::Got::overrun:
                parts_.decoder->overrun(parts_.inbox->lost(), pending_);
                if (!overrun_at_) overrun_at_ = now.boot_ns;
                break;
            case Inbox::Got::nothing:
                break;
        }
        if (overrun_at_ && (*got == Inbox::Got::nothing || now.boot_ns - *overrun_at_ >= kLatestResyncNs)) {
            overrun_at_.reset();
            const std::size_t known = pending_.size();
            const auto compared = parts_.decoder->resync(pending_);
            compare_again_ = !compared;
            for (std::size_t i = known; i < pending_.size(); ++i) pending_[i].details.emplace_back("found_by", "dump");
            if (!compared) unreadable(compared.error());
        }
        for (HostEvent& event : pending_) {
            event.at = now;
            if (event.source.empty()) event.source = parts_.name;
        }
        return *got != Inbox::Got::nothing;
    }

    void unreadable(const Error& error) {
        HostEvent event;
        event.name = "unreadable";
        event.details = {{"class", std::string(name_of(error.code))}, {"reason", error.what}};
        pending_.push_back(std::move(event));
    }

    SourceParts parts_;
    Events pending_;                          // of one message, or of one comparison
    std::optional<std::int64_t> overrun_at_;  // not compared yet
    bool compare_again_ = false;              // it failed; the next message is the occasion
};

}  // namespace

void Decoder::overrun(std::optional<std::uint64_t> lost, Events& out) {
    HostEvent event;
    event.name = "overrun";
    if (lost) event.details.emplace_back("lost", std::to_string(*lost));
    out.push_back(std::move(event));
}

std::unique_ptr<EventSource> inbox_source(SourceParts parts) { return std::make_unique<InboxSource>(std::move(parts)); }

}  // namespace events
}  // namespace rd
