// SPDX-License-Identifier: GPL-2.0-or-later
// What becomes of a pasted text: the facts that the collectors make of it, by the names people know.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "collectors/all.h"
#include "core/facts/sweep.h"
#include "core/ingest/ingest.h"
#include "core/ingest/text_host.h"

namespace rd::ingest::test {

class Pasted {
public:
    explicit Pasted(std::string_view text) : text_(ingest_text(text)) {
        if (text_.hosts.empty()) return;
        const std::shared_ptr<Host> host = text_host(text_.hosts.front().bundle, "text");
        while (host->advance(std::chrono::seconds(1))) {
        }
        Sweep sweep(host, collectors::all(), collectors::derivations(), {});
        snapshot_ = std::make_unique<Snapshot>(sweep.run(Due::all));
    }

    // "mlx5_0/1" "state" → "ACTIVE"; "gap(CLASS)" where there is none, "" where there is no such entity.
    [[nodiscard]] std::string fact(Kind kind, std::string_view name, std::string_view fact) const {
        if (!snapshot_) return {};
        for (const Entity& entity : snapshot_->entities(kind)) {
            if (!name.empty() && snapshot_->label(entity) != name) continue;
            const Reading& reading = snapshot_->get(entity, fact);
            if (!reading) return "gap(" + std::string(name_of(reading.error().kind)) + ")";
            return print(*reading);
        }
        return {};
    }
    [[nodiscard]] bool there(Kind kind, std::string_view name) const {
        if (!snapshot_) return false;
        const auto all = snapshot_->entities(kind);
        return std::any_of(all.begin(), all.end(),
                           [&](const Entity& entity) { return snapshot_->label(entity) == name; });
    }
    [[nodiscard]] std::string form(std::size_t number = 0) const {
        if (text_.hosts.empty() || number >= text_.hosts.front().recognised.size()) return {};
        return text_.hosts.front().recognised[number].form;
    }
    [[nodiscard]] std::size_t not_understood() const { return text_.unrecognised_lines; }
    [[nodiscard]] const Ingested& ingested() const { return text_; }

private:
    Ingested text_;
    std::unique_ptr<Snapshot> snapshot_;
};

}  // namespace rd::ingest::test
