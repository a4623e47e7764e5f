// SPDX-License-Identifier: GPL-2.0-or-later
// A host that passes everything on to another one. Tests derive from it and say only what they do otherwise.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/host/host.h"

namespace rd {

class PassingHost : public Host {
public:
    explicit PassingHost(std::shared_ptr<Host> inner) : inner_(std::move(inner)) {}

    [[nodiscard]] std::unique_ptr<Handle> open(std::string_view name) const override { return inner_->open(name); }
    [[nodiscard]] Result<std::vector<std::string>> list(std::string_view path) const override {
        return inner_->list(path);
    }
    [[nodiscard]] Result<std::string> link(std::string_view path) const override { return inner_->link(path); }
    [[nodiscard]] Result<> write(std::string_view name, std::string_view text) override {
        return inner_->write(name, text);
    }
    [[nodiscard]] Stamp now() const override { return inner_->now(); }
    [[nodiscard]] const HostIdentity& identity() const override { return inner_->identity(); }
    [[nodiscard]] bool advance(std::chrono::nanoseconds interval) override { return inner_->advance(interval); }

private:
    std::shared_ptr<Host> inner_;
};

}  // namespace rd
