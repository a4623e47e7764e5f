// SPDX-License-Identifier: GPL-2.0-or-later
// Bundle → pieces. The inverse is assemble() in bundle_format.cpp.
#include <charconv>

#include "core/host/bundle_format.h"

namespace rd {
namespace {

// Calls `take` for each entry of `now` that `before` does not have or has otherwise.
template <class Map, class Take>
void each_difference(const Map& before, const Map& now, Take take) {
    for (const auto& [name, answer] : now) {
        const auto old = before.find(name);
        if (old == before.end() || !(old->second == answer)) take(name, answer);
    }
}

template <class Map>
void add_gone(const Map& before, const Map& now, std::string_view mark, std::string& out) {
    for (const auto& entry : before) {
        if (now.find(entry.first) == now.end()) out.append(mark).append(escape_field(entry.first)).append(1, '\n');
    }
}

class Tables {
public:
    void add_error(std::string_view mark, const std::string& name, const Error& error) {
        errors_.append(mark).append(escape_field(name)).append(1, '\t').append(name_of(error.code)).append(1, '\t');
        errors_.append(escape_field(error.what)).append(1, '\t').append(escape_field(error.remedy)).append(1, '\n');
    }
    void add_link(const std::string& path, const Result<std::string>& target) {
        if (!target) return add_error(kLinkMark, path, target.error());
        links_.append(escape_field(path)).append(1, '\t').append(escape_field(*target)).append(1, '\n');
    }
    void add_list(const std::string& path, const Result<std::vector<std::string>>& names) {
        if (!names) return add_error(kListMark, path, names.error());
        lists_.append(escape_field(path));
        for (const std::string& name : *names) lists_.append(1, '\t').append(escape_field(name));
        lists_.append(1, '\n');
    }
    // `errors` of the first moment is there even when it is empty: a moment without a piece would look incomplete.
    void move_to(const std::string& folder, std::string gone, std::vector<PieceView>& out) {
        const auto add = [&](const char* name, std::string&& text) {
            if (!text.empty() || folder + name == "t0/errors") out.push_back({folder + name, {}, std::move(text)});
        };
        add("links", std::move(links_));
        add("lists", std::move(lists_));
        add("errors", std::move(errors_));
        add("gone", std::move(gone));
    }

private:
    std::string links_;
    std::string lists_;
    std::string errors_;
};

}  // namespace

std::vector<PieceView> take_apart(const Bundle& bundle) {
    std::vector<PieceView> out;
    const Moment nothing;
    for (std::size_t at = 0; at < bundle.moments.size(); ++at) {
        const Moment& before = at == 0 ? nothing : bundle.moments[at - 1];
        const Moment& now = bundle.moments[at];
        const std::string folder = "t" + std::to_string(at) + "/";
        Tables tables;
        each_difference(before.reads, now.reads, [&](const std::string& name, const Result<std::string>& answer) {
            if (answer) {
                out.push_back({folder + piece_of(name), *answer, {}});
            } else {
                tables.add_error("", name, answer.error());
            }
        });
        each_difference(before.links, now.links,
                        [&](const auto& path, const auto& target) { tables.add_link(path, target); });
        each_difference(before.lists, now.lists,
                        [&](const auto& path, const auto& names) { tables.add_list(path, names); });
        std::string gone;
        add_gone(before.reads, now.reads, "", gone);
        add_gone(before.links, now.links, kLinkMark, gone);
        add_gone(before.lists, now.lists, kListMark, gone);
        tables.move_to(folder, std::move(gone), out);
    }
    return out;
}

Contents contents_of(const std::vector<PieceView>& pieces, std::size_t moments) {
    Contents contents{pieces.size(), std::vector<bool>(moments, true)};
    for (const PieceView& piece : pieces) {
        std::size_t moment = 0;
        std::from_chars(piece.name.data() + 1, piece.name.data() + piece.name.size(), moment);
        contents.unchanged[moment] = false;
    }
    return contents;
}

}  // namespace rd
