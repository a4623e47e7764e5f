// SPDX-License-Identifier: GPL-2.0-or-later
// A snapshot written by hand, for what is derived from facts.
#pragma once

#include <stdexcept>

#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {

class Scene {
public:
    Scene() : catalog_(std::make_shared<const Catalog>(catalog().value())) {}

    Scene& put(Kind kind, const std::string& id, std::string_view fact, Value value) {
        return write([=, &row = spec(kind, fact)](Snapshot& now) { now.put({kind, id}, row, value); });
    }
    Scene& put(Kind kind, const std::string& id, std::string_view fact, const char* text) {
        return put(kind, id, fact, Value(std::string(text)));
    }
    Scene& put(Kind kind, const std::string& id, std::string_view fact, int number) {
        return put(kind, id, fact, Value(std::int64_t{number}));
    }
    Scene& refer(Kind kind, const std::string& id, std::string_view fact, const std::string& target) {
        return put(kind, id, fact, Value(Entity{spec(kind, fact).target, target}));
    }
    Scene& gap(Kind kind, const std::string& id, std::string_view fact, GapClass why,
               const std::string& reason = "as said") {
        return write([=, &row = spec(kind, fact)](Snapshot& now) { now.gap({kind, id}, row, {why, reason, {}}); });
    }
    Scene& kind_gap(Kind kind, GapClass why) {
        return write([=](Snapshot& now) { now.kind_gap(kind, {why, "not listed", {}}); });
    }
    Scene& site(Site site) {
        site_ = std::move(site);
        return *this;
    }
    // What comes of all that was said so far; what was said last counts.
    [[nodiscard]] Snapshot derive(std::initializer_list<std::string_view> names) const {
        Snapshot now(std::make_shared<Layout>(), Stamp{});
        for (const auto& step : steps_) step(now);
        for (const std::string_view name : names) derivation(name).derive(site_, now);
        return now;
    }

private:
    Scene& write(std::function<void(Snapshot&)> step) {
        steps_.push_back(std::move(step));
        return *this;
    }
    [[nodiscard]] const FactSpec& spec(Kind kind, std::string_view fact) const {
        const FactSpec* found = catalog_->find(kind, fact);
        if (found == nullptr) throw std::invalid_argument("no fact " + std::string(fact));
        return *found;
    }

    std::shared_ptr<const Catalog> catalog_;
    std::vector<std::function<void(Snapshot&)>> steps_;
    Site site_;
};

// A RoCE port p on the interface n.
inline Scene roce_port() {
    Scene scene;
    scene.put(Kind::port, "p", "link_layer", "Ethernet")
        .refer(Kind::port, "p", "device", "d")
        .refer(Kind::port, "p", "netdev", "n")
        .put(Kind::device, "d", "protocol", "roce")
        .put(Kind::netdev, "n", "name", "ens1f0")
        .put(Kind::netdev, "n", "kind", "physical");
    return scene;
}

}  // namespace rd::collectors::test
