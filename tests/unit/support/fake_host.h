// SPDX-License-Identifier: GPL-2.0-or-later
// A host in memory for unit tests. It answers through the same functions as a replayed bundle.
//
//     FakeHost host({{"/sys/class/net/ens1f0/mtu", "9000\n"}, {"rtnl.link", "ifindex=2 ifname=ens1f0\n"}});
//     host.link("/sys/class/net/ens1f0/device", "/sys/devices/pci0000:40/0000:41:00.0")
//         .error("dcb.pfc/ens1f0", {Errc::no_privilege, "dcb.pfc/ens1f0: not permitted", "run as root"})
//         .next_moment(std::chrono::seconds(2))           // starts as a copy of the moment before
//         .file("/sys/class/net/ens1f0/mtu", "1500\n");
//     … sweep(host) …; host.advance({}); … sweep(host) …  // handles stay valid and read the moment that is current
#pragma once

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/host/replay.h"

namespace rd {

class FakeHost final : public Host {
public:
    FakeHost(std::initializer_list<std::pair<std::string, std::string>> files = {}) : tape_(std::make_shared<Tape>()) {
        tape_->moments.emplace_back().stamp = {1'000'000'000, 1'700'000'000'000'000'000};
        identity_.source = "fake";
        identity_.hostname = "fake";
        identity_.kernel = "6.1.0";
        identity_.machine = "x86_64";
        identity_.boot_id = "00000000-0000-0000-0000-000000000001";
        for (const auto& [name, text] : files) file(name, text);
    }

    // These change the newest moment.
    FakeHost& file(std::string_view name, std::string_view text) {
        last().reads.insert_or_assign(std::string(name), std::string(text));
        return *this;
    }
    // Listing and following the path give the same error, unless said otherwise.
    FakeHost& error(std::string_view name, Error error) {
        last().reads.insert_or_assign(std::string(name), tl::unexpected<Error>(std::move(error)));
        return *this;
    }
    FakeHost& link(std::string_view path, std::string_view target) {
        last().links.insert_or_assign(std::string(path), std::string(target));
        return *this;
    }
    FakeHost& directory(std::string_view path, std::vector<std::string> names) {
        std::sort(names.begin(), names.end());
        last().lists.insert_or_assign(std::string(path), std::move(names));
        return *this;
    }
    // Removes `name` and all that lies below it: reads, links and lists.
    FakeHost& gone(std::string_view name) {
        const auto below = [name](const auto& entry) {
            return entry.first == name || (entry.first.size() > name.size() && entry.first[name.size()] == '/' &&
                                           entry.first.starts_with(name));
        };
        std::erase_if(last().reads, below);
        std::erase_if(last().links, below);
        std::erase_if(last().lists, below);
        return *this;
    }
    FakeHost& next_moment(std::chrono::nanoseconds after) {
        Moment next = last();
        next.stamp.boot_ns += after.count();
        next.stamp.wall_ns += after.count();
        tape_->moments.push_back(std::move(next));
        return *this;
    }
    FakeHost& identity(HostIdentity identity) {
        identity_ = std::move(identity);
        return *this;
    }
    // Writing to `name` fails so. Other writes succeed and change every moment from the current one on.
    FakeHost& refuse_write(std::string_view name, Error error) {
        refusals_.insert_or_assign(std::string(name), std::move(error));
        return *this;
    }
    [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& writes() const { return writes_; }
    // What a recording of this host would hold.
    [[nodiscard]] Bundle bundle() const { return {identity_, "fake", false, tape_->moments}; }

    [[nodiscard]] std::unique_ptr<Handle> open(std::string_view name) const override {
        return std::make_unique<FakeHandle>(tape_, name);
    }
    [[nodiscard]] Result<std::vector<std::string>> list(std::string_view path) const override {
        return answer_list(tape_->moment(), path);
    }
    [[nodiscard]] Result<std::string> link(std::string_view path) const override {
        return answer_link(tape_->moment(), path);
    }
    [[nodiscard]] Result<> write(std::string_view name, std::string_view text) override {
        if (const auto refused = refusals_.find(name); refused != refusals_.end()) {
            return tl::unexpected<Error>(refused->second);
        }
        writes_.emplace_back(name, text);
        for (std::size_t i = tape_->current; i < tape_->moments.size(); ++i) {
            tape_->moments[i].reads.insert_or_assign(std::string(name), std::string(text));
        }
        return {};
    }
    [[nodiscard]] Stamp now() const override { return tape_->moment().stamp; }
    [[nodiscard]] const HostIdentity& identity() const override { return identity_; }
    [[nodiscard]] bool advance(std::chrono::nanoseconds) override {
        if (tape_->current + 1 >= tape_->moments.size()) return false;
        ++tape_->current;
        return true;
    }

private:
    struct Tape {
        std::vector<Moment> moments;
        std::size_t current = 0;

        [[nodiscard]] const Moment& moment() const { return moments[current]; }
    };
    class FakeHandle final : public Handle {
    public:
        FakeHandle(std::shared_ptr<const Tape> tape, std::string_view name) : tape_(std::move(tape)), name_(name) {}
        [[nodiscard]] Result<> read(Buffer& into) override { return answer_read(tape_->moment(), name_, into); }

    private:
        std::shared_ptr<const Tape> tape_;
        std::string name_;
    };

    [[nodiscard]] Moment& last() { return tape_->moments.back(); }

    std::shared_ptr<Tape> tape_;
    HostIdentity identity_;
    std::map<std::string, Error, std::less<>> refusals_;
    std::vector<std::pair<std::string, std::string>> writes_;
};

}  // namespace rd
