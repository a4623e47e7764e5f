// SPDX-License-Identifier: GPL-2.0-or-later
#include "collectors/common/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr std::size_t kLongestLabel = 256;

bool is_plain(char c) { return c >= 0x20 && c < 0x7f; }

}  // namespace

Result<Value> as_label(std::string_view text) {
    const std::string_view body = trim(text);
    if (body.empty()) return fail(Errc::not_supported, "the answer is empty");
    if (body.size() > kLongestLabel || !std::all_of(body.begin(), body.end(), is_plain)) {
        return fail(Errc::bad_input, "not a name: '" + printable(body) + "'");
    }
    return Value(std::string(body));
}

Result<Value> as_state_name(std::string_view text) {
    const std::string_view body = trim(text);
    const std::size_t colon = body.find(':');
    if (colon == std::string_view::npos || !parse_counter(body.substr(0, colon))) {
        return fail(Errc::bad_input, "not a numbered state: '" + printable(body) + "'");
    }
    return as_label(body.substr(colon + 1));
}

Result<Value> as_guid(std::string_view text) {
    const std::string_view body = trim(text);
    if (body.empty()) return fail(Errc::not_supported, "the answer is empty");
    const auto fits = [&](std::size_t at) {
        const char c = body[at];
        return at % 5 == 4 ? c == ':' : (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    };
    bool good = body.size() == 19;
    for (std::size_t at = 0; good && at < body.size(); ++at) good = fits(at);
    if (!good) return fail(Errc::bad_input, "not a GUID: '" + printable(body) + "'");
    return Value(std::string(body));
}

Result<Value> as_hex(std::string_view text) {
    const auto number = parse_hex(text);
    if (!number) return tl::unexpected<Error>(number.error());
    if (*number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        return fail(Errc::bad_input, "number out of range: '" + printable(trim(text)) + "'");
    }
    return Value(static_cast<std::int64_t>(*number));
}

Result<Value> as_upper(std::string_view text) {
    auto label = as_label(text);
    if (!label) return label;
    auto& name = std::get<std::string>(*label);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    return label;
}

Result<Value> as_count(std::string_view text) { return as_counter(text); }

Gap not_offered(std::string reason, std::string remedy) {
    return {GapClass::not_offered, std::move(reason), std::move(remedy)};
}

Gap not_collected(std::string reason, std::string remedy) {
    return {GapClass::not_collected, std::move(reason), std::move(remedy)};
}

Answer::Answer(std::string_view subject, Record record) : subject_(subject), record_(std::move(record)) {
    for (std::size_t i = 0; i < record_.fields().size(); ++i) index_.try_emplace(record_.fields()[i].first, i);
}

Result<Answer> Answer::parse(std::string_view subject, std::string_view text) {
    auto record = parse_record(text);
    if (!record) return fail(record.error().code, fmt::format("{}: {}", subject, record.error().what));
    return Answer(subject, std::move(*record));
}

const std::string* Answer::get(std::string_view key) const {
    const auto found = index_.find(std::string(key));
    return found == index_.end() ? nullptr : &record_.fields()[found->second].second;
}

Gap Answer::absent(std::string_view name, std::string_view why) const {
    if (partial()) return not_collected(fmt::format("{}: no {}: not in the text", subject_, name));
    if (why.empty()) why = "the driver or kernel does not give it";
    return not_offered(fmt::format("{}: no {}: {}", subject_, name, why));
}

void Answer::put(const Entity& entity, const Source& source, Facts& out, std::string_view absent) const {
    const std::string* const text = get(source.name);
    if (text == nullptr) return out.gap(entity, source.spec, this->absent(source.name, absent));
    auto value = source.parser(*text);
    if (!value) value.error().what = fmt::format("{}: {}: {}", subject_, source.name, value.error().what);
    out.set(entity, source.spec, std::move(value));
}

void Answer::put(const Entity& entity, std::span<const Source> sources, Facts& out, std::string_view absent) const {
    for (const Source& source : sources) put(entity, source, out, absent);
}

void Answer::put(const Entity& entity, std::span<const Alternatives> counters, Facts& out,
                 std::string_view absent) const {
    for (const Alternatives& counter : counters) {
        const auto given = std::find_if(counter.names.begin(), counter.names.end(),
                                        [&](std::string_view name) { return !name.empty() && get(name) != nullptr; });
        const std::string_view name = given != counter.names.end() ? *given : counter.names.front();
        put(entity, Source{name, counter.spec, as_counter}, out, absent);
    }
}

void gap_all(const std::vector<Cover>& covers, const Gap& gap, Facts& out) {
    for (const Cover& cover : covers) out.gap(cover.entity, *cover.spec, gap);
}

std::vector<Cover> covers_of(const Entity& entity, std::span<const Source> sources) {
    std::vector<Cover> covers;
    for (const Source& source : sources) covers.push_back({entity, &source.spec});
    return covers;
}

std::vector<Cover> covers_of(const Entity& entity, std::span<const Alternatives> counters) {
    std::vector<Cover> covers;
    for (const Alternatives& counter : counters) covers.push_back({entity, &counter.spec});
    return covers;
}

void decode_fields(Plan& plan, std::string subject, const Entity& entity, std::span<const Source> sources,
                   std::string_view absent) {
    std::vector<Cover> covers = covers_of(entity, sources);
    Decoder decoder = [subject, entity, sources, absent, covers](std::string_view text, Facts& out) {
        const auto answer = Answer::parse(subject, text);
        if (!answer) return gap_all(covers, gap_from(answer.error()), out);
        answer->put(entity, sources, out, absent);
    };
    plan.decode(std::move(subject), std::move(covers), std::move(decoder));
}

}  // namespace rd::collectors
