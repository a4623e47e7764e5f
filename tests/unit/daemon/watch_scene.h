// SPDX-License-Identifier: GPL-2.0-or-later
// A recorded host that is watched, with a clock that the test moves.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "collectors/all.h"
#include "core/host/bundle.h"
#include "core/program/files.h"
#include "core/store/reader.h"
#include "daemon/watch.h"
#include "tests/unit/support/passing_host.h"
#include "tests/unit/support/temp_directory.h"

namespace rd::daemon {

inline const std::string kHosts = std::string(RDMADOCTOR_SOURCE_DIR) + "/tests/hosts/";

// A recorded host whose clock goes on as the test says, and which may turn into another one.
class Watched final : public PassingHost {
public:
    explicit Watched(const std::string& name) : PassingHost(load(name)), now_(PassingHost::now()) {}
    void become(const std::string& name) { *other_ = load(name); }

    [[nodiscard]] std::unique_ptr<Handle> open(std::string_view name) const override {
        return std::make_unique<Turning>(std::string(name), PassingHost::open(name), other_);
    }
    [[nodiscard]] Result<std::vector<std::string>> list(std::string_view path) const override {
        return *other_ ? (*other_)->list(path) : PassingHost::list(path);
    }
    [[nodiscard]] Result<std::string> link(std::string_view path) const override {
        return *other_ ? (*other_)->link(path) : PassingHost::link(path);
    }
    [[nodiscard]] Stamp now() const override { return now_; }
    void pass(std::chrono::nanoseconds time) {
        now_.boot_ns += time.count();
        now_.wall_ns += time.count();
    }

private:
    using Other = std::shared_ptr<std::shared_ptr<Host>>;
    class Turning final : public Handle {
    public:
        Turning(std::string name, std::unique_ptr<Handle> first, Other other)
            : name_(std::move(name)), handle_(std::move(first)), other_(std::move(other)) {}
        Result<> read(Buffer& into) override {
            if (*other_ && *other_ != turned_to_) {
                turned_to_ = *other_;
                handle_ = turned_to_->open(name_);
            }
            return handle_->read(into);
        }

    private:
        std::string name_;
        std::unique_ptr<Handle> handle_;
        Other other_;
        std::shared_ptr<Host> turned_to_;
    };
    static std::shared_ptr<Host> load(const std::string& name) {
        return replay_host(*load_bundle(kHosts + name + "/bundle"), name);
    }

    Other other_ = std::make_shared<std::shared_ptr<Host>>();
    Stamp now_;
};

class WatchTest : public testing::Test {
protected:
    static const Rulebook& book() {
        static const auto catalog = std::make_unique<Catalog>(*collectors::catalog());
        static const Rules rules =
            build_rulebook(*read_rule_files(std::string(RDMADOCTOR_SOURCE_DIR) + "/rules"), {}, *catalog, {});
        return rules.book;
    }
    void watch(const std::string& name) {
        host = std::make_shared<Watched>(name);
        again();
    }
    void again() {
        subject.reset();
        WatchOptions options;
        options.store = path;
        options.deadline = std::chrono::seconds(10);
        subject = std::make_unique<Watch>(host, book(), options);
    }
    // Findings that began and ended, "+rule" and "-rule".
    std::vector<std::string> look(int times, Due due = Due::all) {
        std::vector<std::string> told;
        for (int i = 0; i < times; ++i) {
            News news = subject->look(due);
            for (const FindingChange& one : news.findings)
                told.push_back((one.to == State::firing ? "+" : "-") + one.rule);
            last = std::move(news);
            host->pass(std::chrono::seconds(1));
            static_cast<void>(host->advance(std::chrono::seconds(1)));
        }
        return told;
    }
    [[nodiscard]] std::vector<store::FindingSpan> kept() const {
        const auto reader = store::Reader::open(path);
        return reader ? reader->findings({}, 1000).value_or(std::vector<store::FindingSpan>{})
                      : std::vector<store::FindingSpan>{};
    }

    // Those that have not ended.
    [[nodiscard]] std::vector<store::FindingSpan> open() const {
        std::vector<store::FindingSpan> all = kept();
        std::erase_if(all, [](const store::FindingSpan& one) { return one.to_ns.has_value(); });
        return all;
    }

    [[nodiscard]] std::size_t going_on() {
        const auto frame = subject->frame();
        const auto& findings = frame->report.findings;
        const auto count = std::count_if(findings.begin(), findings.end(),
                                         [](const Finding& one) { return one.state == State::firing; });
        EXPECT_GT(count, 0);
        return std::size_t(count);
    }
    [[nodiscard]] std::vector<store::EventRow> events() const {
        const auto reader = store::Reader::open(path);
        return reader ? reader->events({}, 1000).value_or(std::vector<store::EventRow>{})
                      : std::vector<store::EventRow>{};
    }
    // What the store says of itself.
    [[nodiscard]] std::vector<std::string> losses() const {
        std::vector<std::string> told;
        for (const store::EventRow& one : events()) {
            if (one.source == "store" && one.name == "lost") told.push_back(one.details);
        }
        return told;
    }
    [[nodiscard]] FoldedEvent port_error(std::uint64_t id) const {
        HostEvent event;
        event.at = host->now();
        event.source = "verbs";
        event.name = "PORT_ERR";
        event.subject = "mlx5_0/1";
        return {id, event, event.at};
    }
    void keep_event(std::uint64_t id) {
        const FoldedEvent folded = port_error(id);
        subject->keep({&folded, 1}, {});
    }

    TempDirectory directory;
    std::string path = directory.path() + "/metrics.db";
    std::shared_ptr<Watched> host;
    std::unique_ptr<Watch> subject;
    News last;
};

}  // namespace rd::daemon
