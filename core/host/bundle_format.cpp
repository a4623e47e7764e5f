// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/bundle_format.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "core/base/text.h"

namespace rd {
namespace {

// What one entry costs beside its bytes: node of the map, strings, allocator.
constexpr std::size_t kEntryCost = 200;

template <class Map, class Size>
std::size_t footprint(const Map& map, Size size_of) {
    std::size_t sum = 0;
    for (const auto& [name, answer] : map) {
        sum += kEntryCost + name.size() + (answer ? size_of(*answer) : answer.error().what.size());
    }
    return sum;
}

std::size_t footprint(const Moment& moment) {
    const auto text_size = [](const std::string& text) { return text.size(); };
    const auto names_size = [](const std::vector<std::string>& names) {
        std::size_t sum = 0;
        for (const std::string& name : names) sum += sizeof name + name.size();
        return sum;
    };
    return footprint(moment.reads, text_size) + footprint(moment.links, text_size) +
           footprint(moment.lists, names_size);
}

bool cut_mark(std::string& name, std::string_view mark) {
    if (!starts_with(name, mark)) return false;
    name.erase(0, mark.size());
    return true;
}

// One moment in the making: a copy of the one before, and what the pieces change.
class Change {
public:
    explicit Change(Moment& moment) : moment_(moment) {}

    Result<> apply(std::string_view piece, std::string text);

private:
    Result<> apply_value(std::vector<std::string> fields);
    Result<> apply_link(std::vector<std::string> fields);
    Result<> apply_list(std::vector<std::string> fields);
    Result<> apply_error(std::vector<std::string> fields);
    Result<> apply_gone(std::vector<std::string> fields);
    // A name may be given once a moment: which of two answers was meant?
    template <class Map, class Value>
    Result<> set(Map& map, std::string_view mark, std::string name, Value value) {
        if (!given_.emplace(std::string(mark) + name).second) {
            return fail(Errc::bad_input, "'" + printable(name) + "' is given twice");
        }
        if (given_.size() > kMaxPieces) return fail(Errc::limit, "more than 200,000 answers");
        map.insert_or_assign(std::move(name), std::move(value));
        return {};
    }

    Moment& moment_;
    std::set<std::string> given_;
};

Result<> Change::apply(std::string_view piece, std::string text) {
    if (piece == "values") return each_line(text, [this](auto fields) { return apply_value(std::move(fields)); });
    if (piece == "links") return each_line(text, [this](auto fields) { return apply_link(std::move(fields)); });
    if (piece == "lists") return each_line(text, [this](auto fields) { return apply_list(std::move(fields)); });
    if (piece == "errors") return each_line(text, [this](auto fields) { return apply_error(std::move(fields)); });
    if (piece == "gone") return each_line(text, [this](auto fields) { return apply_gone(std::move(fields)); });
    auto name = name_of_piece(piece);
    if (!name) return tl::unexpected<Error>(name.error());
    return set(moment_.reads, "", std::move(*name), std::move(text));
}

Result<> Change::apply_value(std::vector<std::string> fields) {
    if (fields.size() != 2) return fail(Errc::bad_input, "must be name<TAB>text");
    return set(moment_.reads, "", std::move(fields[0]), std::move(fields[1]) + "\n");
}

Result<> Change::apply_link(std::vector<std::string> fields) {
    if (fields.size() != 2) return fail(Errc::bad_input, "must be path<TAB>target");
    return set(moment_.links, kLinkMark, std::move(fields[0]), std::move(fields[1]));
}

Result<> Change::apply_list(std::vector<std::string> fields) {
    std::string path = std::move(fields.front());
    fields.erase(fields.begin());
    std::sort(fields.begin(), fields.end());
    return set(moment_.lists, kListMark, std::move(path), std::move(fields));
}

Result<> Change::apply_error(std::vector<std::string> fields) {
    if (fields.size() < 3 || fields.size() > 4) {
        return fail(Errc::bad_input, "must be name<TAB>class<TAB>what<TAB>remedy");
    }
    Error error{Errc::io, std::move(fields[2]), fields.size() == 4 ? std::move(fields[3]) : std::string()};
    if (!errc_from_name(fields[1], error.code)) {
        return fail(Errc::bad_input, "'" + printable(fields[1]) + "' is no class of errors",
                    "one of not_found not_supported no_privilege timed_out not_collected bad_input limit io");
    }
    std::string name = std::move(fields[0]);
    tl::unexpected<Error> answer(std::move(error));
    if (cut_mark(name, kLinkMark)) return set(moment_.links, kLinkMark, std::move(name), std::move(answer));
    if (cut_mark(name, kListMark)) return set(moment_.lists, kListMark, std::move(name), std::move(answer));
    return set(moment_.reads, "", std::move(name), std::move(answer));
}

Result<> Change::apply_gone(std::vector<std::string> fields) {
    if (fields.size() != 1) return fail(Errc::bad_input, "must be one name");
    std::string name = fields.front();
    const bool was_there = cut_mark(name, kLinkMark)   ? moment_.links.erase(name) != 0
                           : cut_mark(name, kListMark) ? moment_.lists.erase(name) != 0
                                                       : moment_.reads.erase(name) != 0;
    if (!was_there) return fail(Errc::bad_input, "'" + printable(fields.front()) + "' was not there before");
    return {};
}

using PieceList = std::vector<std::pair<std::string_view, std::string*>>;

Error without_sweep(std::string_view piece, std::size_t moments) {
    const std::string place = "'" + std::string(printable(piece)) + "': ";
    const std::string_view remedy = "write a [[sweep]] for it into manifest.toml, or remove the folder";
    if (moments == 1) return {Errc::bad_input, place + "the manifest has one moment, t0/", std::string(remedy)};
    return {Errc::bad_input,
            place + "the manifest has " + std::to_string(moments) + " [[sweep]], so there are t0/ to t" +
                std::to_string(moments - 1) + "/",
            std::string(remedy)};
}

// Pieces by moment. What lies beside t0, t1 … is none of ours: a fixture may keep its notes there.
Result<std::vector<PieceList>> by_moment(Pieces& pieces, std::size_t moments, std::size_t& count) {
    std::vector<PieceList> out(moments);
    for (auto& [name, text] : pieces) {
        const std::string_view piece = name;
        const std::size_t slash = piece.find('/');
        if (piece[0] != 't' || slash == std::string_view::npos) continue;
        std::size_t moment = 0;
        const auto [stop, error] = std::from_chars(piece.data() + 1, piece.data() + slash, moment);
        if (stop == piece.data() + 1 || stop != piece.data() + slash) continue;  // "tests/…"
        if (error != std::errc{} || moment >= moments || (piece[1] == '0' && slash > 2)) {
            return tl::unexpected<Error>(without_sweep(piece, moments));
        }
        out[moment].emplace_back(piece.substr(slash + 1), &text);
        ++count;
    }
    return out;
}

std::string folder_of(std::size_t moment) { return "t" + std::to_string(moment) + "/"; }

Error missing_folders(std::size_t first, std::size_t missing, std::size_t moments) {
    const std::string others =
        missing == 1 ? " is missing" : " and " + std::to_string(missing - 1) + " more are missing";
    return {Errc::bad_input, folder_of(first) + others + ": the manifest has " + std::to_string(moments) + " [[sweep]]",
            "copy the bundle again as a whole; if nothing changed in that sweep, write `unchanged = true` below its "
            "[[sweep]]"};
}

// Every moment has its folder, unless the manifest says that nothing changed: a folder that was lost on the way would
// otherwise read as a host on which nothing moved. A count of pieces that is right proves it too.
Result<> complete(const std::vector<PieceList>& lists, std::size_t count, const Contents& contents) {
    if (lists.front().empty()) return fail(Errc::bad_input, "t0/ is missing", std::string(kRecordAgain));
    const bool proven = contents.pieces != 0 && contents.pieces == count;
    std::size_t first = 0, missing = 0;
    for (std::size_t at = 1; at < lists.size(); ++at) {
        if (contents.unchanged[at] && !lists[at].empty()) {
            return fail(Errc::bad_input,
                        folder_of(at) + " is there, and manifest.toml has `unchanged = true` in its [[sweep]]",
                        "remove one of the two");
        }
        if (contents.unchanged[at] || !lists[at].empty() || proven) continue;
        if (missing++ == 0) first = at;
    }
    if (missing > 0) return tl::unexpected<Error>(missing_folders(first, missing, lists.size()));
    if (contents.pieces == 0 || proven) return {};
    return fail(
        Errc::bad_input,
        "manifest.toml: pieces = " + std::to_string(contents.pieces) + ", but " + std::to_string(count) + " are there",
        "copy the bundle again as a whole; if it was edited by hand, remove the line `pieces`");
}

Result<> rebuild(Moment& moment, const PieceList& pieces) {
    Change change(moment);
    // What had vanished goes first: a name cannot be both gone and there.
    for (const bool gone : {true, false}) {
        for (const auto& [piece, text] : pieces) {
            if ((piece == "gone") != gone) continue;
            if (auto applied = change.apply(piece, std::move(*text)); !applied) {
                return fail(applied.error().code, std::string(printable(piece, 200)) + ": " + applied.error().what,
                            applied.error().remedy);
            }
        }
    }
    return {};
}

}  // namespace

Result<Bundle> assemble(Pieces pieces) {
    const auto manifest = pieces.find(kManifest);
    if (manifest == pieces.end()) {
        return fail(Errc::bad_input, "is no rdmadoctor bundle: manifest.toml is missing",
                    "record one with `rdmadoctor record DIR`");
    }
    Contents contents;
    auto bundle = parse_manifest(manifest->second, contents);
    if (!bundle) return fail(bundle.error().code, "manifest.toml: " + bundle.error().what, bundle.error().remedy);
    std::size_t count = 0;
    const auto lists = by_moment(pieces, bundle->moments.size(), count);
    if (!lists) return tl::unexpected<Error>(lists.error());
    if (auto whole = complete(*lists, count, contents); !whole) return tl::unexpected<Error>(whole.error());
    std::size_t total = 0;
    for (std::size_t at = 0; at < bundle->moments.size(); ++at) {
        Moment& moment = bundle->moments[at];
        if (at > 0) {
            const Moment& before = bundle->moments[at - 1];
            total += footprint(before);
            if (total > kMaxRebuiltBytes) {
                return fail(Errc::limit, "its moments need more than 512 MiB", "record fewer moments");
            }
            moment.reads = before.reads;
            moment.links = before.links;
            moment.lists = before.lists;
        }
        if (auto rebuilt = rebuild(moment, (*lists)[at]); !rebuilt) {
            return fail(rebuilt.error().code, folder_of(at) + rebuilt.error().what, rebuilt.error().remedy);
        }
    }
    return bundle;
}

}  // namespace rd
