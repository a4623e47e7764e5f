// SPDX-License-Identifier: GPL-2.0-or-later
// Prints the events of the machine, one a line, until it gets SIGTERM; then what they add up to.
//   events_dump [--contexts auto|always|never] [--fold] [SOURCE…]      SOURCE: verbs link address rdma-monitor uevents devlink kmsg
// With --fold a line is what became of a second's equal events. A source that is not there is a line "absent".
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/base/records.h"
#include "core/host/events/fold.h"
#include "core/host/events/source.h"
#include "core/host/identity.h"

namespace {

constexpr std::size_t kMost = 256;

rd::Record record_of(const rd::HostEvent& event) {
    rd::Record record;
    record.set("s", fmt::format("{}.{:03}", event.at.boot_ns / 1'000'000'000, event.at.boot_ns / 1'000'000 % 1'000));
    record.set("source", event.source);
    record.set("name", event.name);
    record.set("subject", event.subject);
    record.set("count", event.count);
    for (const auto& [key, value] : event.details) record.set(key, value);
    return record;
}

void print(const std::string& line) {
    std::fputs(line.c_str(), stdout);
    std::fflush(stdout);
}

struct Totals {
    std::map<std::string, std::uint64_t> events;
    std::uint64_t lines = 0;

    void add(const rd::HostEvent& event) {
        events[fmt::format("{} {} {}", event.source, event.name, event.subject)] += event.count;
    }
    void print_all() const {
        rusage used{};
        ::getrusage(RUSAGE_SELF, &used);
        for (const auto& [what, count] : events) print(fmt::format("total {} {}\n", what, count));
        print(fmt::format("lines {}\nmost_memory_kb {}\ncpu_ms {}\n", lines, used.ru_maxrss,
                          used.ru_utime.tv_sec * 1000 + used.ru_utime.tv_usec / 1000 + used.ru_stime.tv_sec * 1000 +
                              used.ru_stime.tv_usec / 1000));
    }
};

using Sources = std::map<std::string, std::function<rd::EventSourceResult()>>;

Sources all_sources(rd::ContextPolicy policy) {
    return {{"verbs", [policy] { return rd::verbs_events(policy); }},
            {"link", rd::link_events},
            {"address", rd::address_events},
            {"rdma-monitor", rd::rdma_monitor_events},
            {"uevents", rd::uevents},
            {"devlink", rd::devlink_events},
            {"kmsg", rd::kmsg_events}};
}

int run(const std::vector<std::unique_ptr<rd::EventSource>>& sources, int stop, bool fold) {
    Totals totals;
    const auto say = [&](const rd::HostEvent& event) {
        ++totals.lines;
        print(record_of(event).text());
    };
    rd::EventFolder folder([](const rd::FoldedEvent&) {}, [&](const rd::FoldedEvent& folded) { say(folded.event); });
    std::vector<pollfd> fds{{stop, POLLIN, 0}};
    for (const auto& source : sources) fds.push_back({source->fd(), POLLIN, 0});
    for (bool more = false;; more = false) {
        for (const auto& source : sources) {
            const auto left = source->drain(
                [&](rd::HostEvent&& event) {
                    totals.add(event);
                    if (fold) {
                        folder.add(std::move(event));
                    } else {
                        say(event);
                    }
                },
                kMost);
            if (!left) {
                print("failed " + left.error().what + "\n");
                return 1;
            }
            more = more || *left == rd::EventSource::Left::more;
        }
        (void)::poll(fds.data(), fds.size(), more ? 0 : 1000);
        if (fds[0].revents) break;
        folder.close_until(rd::current_stamp().boot_ns);
    }
    folder.close_all();
    totals.print_all();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    rd::ContextPolicy policy = rd::ContextPolicy::automatic;
    bool fold = false;
    std::vector<std::string> wanted;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--fold") {
            fold = true;
        } else if (word == "--contexts" && i + 1 < argc) {
            const std::string value = argv[++i];
            if (value == "always") policy = rd::ContextPolicy::always;
            if (value == "never") policy = rd::ContextPolicy::never;
        } else {
            wanted.push_back(word);
        }
    }
    sigset_t stops;
    sigemptyset(&stops);
    sigaddset(&stops, SIGTERM);
    sigaddset(&stops, SIGINT);
    sigprocmask(SIG_BLOCK, &stops, nullptr);
    const int stop = ::signalfd(-1, &stops, SFD_CLOEXEC);
    const Sources all = all_sources(policy);
    if (wanted.empty()) {
        for (const auto& [name, make] : all) wanted.push_back(name);
    }
    std::vector<std::unique_ptr<rd::EventSource>> sources;
    for (const std::string& name : wanted) {
        const auto found = all.find(name);
        if (found == all.end()) {
            print("no source of the name " + name + "\n");
            return 64;
        }
        auto source = found->second();
        if (source) {
            sources.push_back(std::move(*source));
        } else {
            print(fmt::format("absent {}: {}: {}\n", name, rd::name_of(source.error().code), source.error().what));
        }
    }
    print("ready\n");
    return run(sources, stop, fold);
}
