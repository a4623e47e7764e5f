// SPDX-License-Identifier: GPL-2.0-or-later
// One reader a format of configuration files, each of which hands over the places at which one setting stands. An Error says the line, and
// nothing of what stands there. Private to core/host.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "core/base/records.h"
#include "core/base/result.h"

namespace rd {

using SettingSink = std::function<void(std::string_view at, std::string_view value)>;

[[nodiscard]] Result<> read_ini(std::string_view text, std::string_view name, const SettingSink& take);
[[nodiscard]] Result<> read_yaml(std::string_view text, std::string_view name, const SettingSink& take);
[[nodiscard]] Result<> read_toml(std::string_view text, std::string_view name, const SettingSink& take);

// Where a reader is in a tree of tables and lists.
class SettingPath {
public:
    explicit SettingPath(std::string_view wanted);

    void enter(std::string_view key) { parts_.push_back({std::string(key), false}); }
    void enter(std::size_t index) { parts_.push_back({std::to_string(index), true}); }
    void leave() { parts_.pop_back(); }
    // The keys on the way end in the wanted ones; numbers of elements do not count.
    [[nodiscard]] bool matches() const;
    [[nodiscard]] std::string text() const;  // engines.0.fabric_iface

private:
    struct Part {
        std::string text;
        bool index;
    };
    std::vector<Part> parts_;
    std::vector<std::string> wanted_;
};

}  // namespace rd
