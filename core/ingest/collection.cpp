// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/ingest/collection.h"

#include <vector>

#include "core/base/text.h"
#include "core/host/host.h"

namespace rd::ingest {
namespace {

constexpr std::size_t kMostTreeBytes = 64u << 20;
constexpr std::string_view kInvoked = "Invoked Command: ";  // first line of sysinfo-snapshot's files
// Names looked at before an archive that has told nothing counts as texts.
constexpr std::size_t kProbed = 2000;

// `target` of a link at `path`, both of the host, without "." and "..".
std::string resolved(std::string_view path, std::string_view target) {
    std::vector<std::string_view> parts;
    const auto walk = [&](std::string_view text) {
        for (const std::string_view part : split(text, '/')) {
            if (part.empty() || part == ".") continue;
            if (part != "..") {
                parts.push_back(part);
            } else if (!parts.empty()) {
                parts.pop_back();
            }
        }
    };
    if (!starts_with(target, "/")) walk(path.substr(0, path.rfind('/')));
    walk(target);
    std::string out;
    for (const std::string_view part : parts) out.append("/").append(part);
    return out;
}

}  // namespace

Result<bool> Collection::entry(const Entry& entry) {
    name_ = entry.name;
    place_ = place_of(layout_, entry.name);
    if (entry.kind == Entry::Kind::link) {
        if (place_.what == Place::What::tree) links_.emplace(place_.path, resolved(place_.path, entry.target));
        return false;
    }
    if (entry.kind != Entry::Kind::file || place_.what == Place::What::ignored) return false;
    if (place_.what == Place::What::packed) {
        if (packed_++ == 0) first_packed_ = entry.name;
        return false;
    }
    text_.clear();
    too_large_ = false;
    if (place_.what == Place::What::output) {
        reader_.begin_file(printable(entry.name, 200), place_.command);
        first_line_ = layout_ == Layout::sysinfo;
        lines_.emplace([this](std::string line) {
            if (first_line_ && starts_with(line, kInvoked)) {
                reader_.begin_command(line.substr(kInvoked.size()));
            } else {
                reader_.line(std::move(line));
            }
            first_line_ = false;
        });
    }
    return true;
}

void Collection::data(std::string_view block) {
    if (lines_) return lines_->feed(block);
    if (text_.size() + block.size() > kMaxAnswer || kept_ + text_.size() + block.size() > kMostTreeBytes)
        too_large_ = true;
    if (!too_large_) text_ += block;
}

void Collection::end() {
    if (lines_) {
        lines_->end();
        lines_.reset();
        reader_.end_file();
        return;
    }
    if (too_large_) {
        ++left_out_;
        return;
    }
    kept_ += text_.size();
    reader_.host("").file(place_.path, std::move(text_));
    text_ = {};
}

Ingested Collection::finish(std::string_view source) {
    for (const auto& [path, target] : links_) reader_.host("").link(path, target);
    Ingested out = reader_.finish(source);
    if (packed_ > 0) {
        out.notes.push_back(std::to_string(packed_) + (packed_ == 1 ? " archive" : " archives") +
                            " within it not opened (" + printable(first_packed_, 80) +
                            "): unpack and give it by itself if it matters");
    }
    if (left_out_ > 0) out.notes.push_back(std::to_string(left_out_) + " files in it are larger than what is kept");
    return out;
}

Result<bool> LayoutProbe::entry(const Entry& entry) {
    if (entry.name.empty() && entry.kind == Entry::Kind::file) {
        text_ = true;
    } else if (layout_ == Layout::none) {
        layout_ = layout_told_by(entry.name);
        const std::size_t slash = entry.name.find('/');
        const std::string_view base = std::string_view(entry.name).substr(slash == std::string::npos ? 0 : slash + 1);
        bundle_ = bundle_ || (base == "manifest.toml" && layout_ == Layout::none);
    }
    // Enough is known: ends the reading.
    if (text_ || bundle_ || layout_ != Layout::none || ++seen_ > kProbed) return fail(Errc::limit, {});
    return false;
}

}  // namespace rd::ingest
