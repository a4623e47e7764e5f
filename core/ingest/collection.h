// SPDX-License-Identifier: GPL-2.0-or-later
// Many files of one host: a sos report, a sysinfo-snapshot, an archive of texts.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/ingest/compressed.h"
#include "core/ingest/layout.h"
#include "core/ingest/text_reader.h"

namespace rd::ingest {

class Collection final : public Entries {
public:
    Collection(Layout layout, const IngestOptions& options) : layout_(layout), reader_(options) {
        if (layout != Layout::texts) reader_.one_moment();
    }

    Result<bool> entry(const Entry& entry) override;
    void data(std::string_view block) override;
    void end() override;

    [[nodiscard]] Ingested finish(std::string_view source);

private:
    void take_tree_file();

    Layout layout_;
    TextReader reader_;
    Place place_;
    std::string name_;
    std::string text_;  // of a tree file
    bool too_large_ = false;
    std::optional<LineReader> lines_;
    bool first_line_ = false;
    std::map<std::string, std::string> links_;  // host path → target, absolute
    std::size_t packed_ = 0;
    std::string first_packed_;
    std::size_t kept_ = 0;  // bytes of tree files
    std::size_t left_out_ = 0;
};

// Looks only at the names: the layout, or `texts` when nothing tells.
class LayoutProbe final : public Entries {
public:
    Result<bool> entry(const Entry& entry) override;
    void data(std::string_view) override {}
    void end() override {}
    [[nodiscard]] Layout layout() const { return layout_; }
    [[nodiscard]] bool is_bundle() const { return bundle_; }
    [[nodiscard]] bool is_text() const { return text_; }  // one compressed text

private:
    Layout layout_ = Layout::none;
    bool bundle_ = false, text_ = false;
    std::size_t seen_ = 0;
};

}  // namespace rd::ingest
