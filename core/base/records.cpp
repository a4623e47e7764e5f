// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/base/records.h"

#include <algorithm>
#include <charconv>

#include "core/base/text.h"

namespace rd {
namespace {

constexpr std::size_t kMaxRecords = 65'536;

bool stands_as_it_is(char c) { return c > ' ' && c < '\x7f' && c != '%' && c != '='; }

void escape(std::string_view text, std::string& out) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    while (!text.empty()) {
        const auto stop = std::find_if_not(text.begin(), text.end(), stands_as_it_is);
        out.append(text.begin(), stop);
        text.remove_prefix(static_cast<std::size_t>(stop - text.begin()));
        if (text.empty()) return;
        const auto byte = static_cast<unsigned char>(text.front());
        out.append(1, '%').append(1, kHex[byte >> 4]).append(1, kHex[byte & 15U]);
        text.remove_prefix(1);
    }
}

// false: a byte that must be escaped is not, or a '%' is not followed by two hexadecimal digits.
bool unescape(std::string_view text, std::string& out) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (stands_as_it_is(text[at])) {
            out += text[at];
            continue;
        }
        if (text[at] != '%' || text.size() - at < 3) return false;
        const char* const digits = text.data() + at + 1;
        unsigned char byte = 0;
        const auto [stop, error] = std::from_chars(digits, digits + 2, byte, 16);
        if (error != std::errc{} || stop != digits + 2) return false;
        out += static_cast<char>(byte);
        at += 2;
    }
    return true;
}

tl::unexpected<Error> bad_field(std::size_t line, std::string_view field, std::string_view why) {
    return fail(Errc::bad_input,
                "line " + std::to_string(line) + ", field '" + printable(field) + "': " + std::string(why));
}

Result<> parse_line(std::string_view text, std::size_t line, Record& into) {
    while (!text.empty()) {
        const std::size_t space = text.find(' ');
        const std::string_view field = text.substr(0, space);
        text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
        if (field.empty()) continue;  // columns aligned by hand
        const std::size_t equals = field.find('=');
        if (equals == std::string_view::npos) return bad_field(line, field, "no '='");
        std::string key;
        std::string value;
        if (!unescape(field.substr(0, equals), key) || !unescape(field.substr(equals + 1), value)) {
            return bad_field(line, field, "a byte that must be written %XX is not");
        }
        into.set(key, value);
    }
    return {};
}

}  // namespace

std::optional<std::string> Record::get(std::string_view key) const {
    const auto found =
        std::find_if(fields_.begin(), fields_.end(), [&](const auto& field) { return field.first == key; });
    if (found == fields_.end()) return std::nullopt;
    return found->second;
}

std::string Record::text() const {
    std::string out;
    for (const auto& [key, value] : fields_) {
        if (!out.empty()) out += ' ';
        escape(key, out);
        out += '=';
        escape(value, out);
    }
    return out + '\n';
}

Result<std::vector<Record>> parse_records(std::string_view text) {
    std::vector<Record> records;
    std::size_t number = 0;
    for (const std::string_view line : lines(text)) {
        ++number;
        Record record;
        if (auto parsed = parse_line(line, number, record); !parsed) return tl::unexpected<Error>(parsed.error());
        if (record.empty()) continue;
        if (records.size() == kMaxRecords) {
            return fail(Errc::limit, "line " + std::to_string(number) + ": more than 65,536 records");
        }
        records.push_back(std::move(record));
    }
    return records;
}

Result<Record> parse_record(std::string_view text) {
    Record record;
    std::size_t number = 0;
    for (const std::string_view line : lines(text)) {
        if (auto parsed = parse_line(line, ++number, record); !parsed) return tl::unexpected<Error>(parsed.error());
    }
    return record;
}

}  // namespace rd
