// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/identifiers.h"

#include <arpa/inet.h>

#include <algorithm>
#include <optional>
#include <string>

#include "core/base/text.h"
#include "core/host/identifier_shapes.h"

namespace rd {
namespace {

constexpr std::size_t kMacDigits = 12, kGuidDigits = 16, kGidDigits = 32;
constexpr std::size_t kLongestIp6 = 45;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool starts_lower(std::string_view text, std::string_view prefix) {
    return text.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), text.begin(),
                                                      [](char wanted, char c) { return wanted == lower(c); });
}

// The digits of `text` as bytes; what separates them is skipped.
IdBytes bytes_of(std::string_view text) {
    IdBytes bytes{};
    std::size_t digits = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text.substr(i).starts_with(kEscapedDash)) i += kEscapedDash.size();
        if (i >= text.size() || !is_hex(text[i]) || digits == 2 * bytes.size()) continue;
        std::uint8_t& byte = bytes[digits / 2];
        byte = static_cast<std::uint8_t>(byte << 4 | hex_value(text[i]));
        ++digits;
    }
    return bytes;
}

class Scan {
public:
    Scan(std::string_view text, Place place, const KnownIdentifiers* known)
        : text_(text), place_(place), known_(known) {}

    std::vector<Identifier> run() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (const std::size_t end = boundary(at_) ? named(at_) : 0; end != 0) {
                at_ = end;
            } else if (is_hex(c) || c == ':') {
                at_ = run_of_groups(at_);
            } else {
                ++at_;
            }
        }
        return std::move(found_);
    }

private:
    struct Range {
        std::size_t from, to;
        [[nodiscard]] std::size_t size() const { return to - from; }
    };

    [[nodiscard]] char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
    [[nodiscard]] char before(std::size_t i) const { return i == 0 ? '\0' : text_[i - 1]; }
    [[nodiscard]] bool boundary(std::size_t i) const { return !is_alnum(before(i)); }
    [[nodiscard]] std::string_view part(Range range) const { return text_.substr(range.from, range.size()); }

    void emit(Form form, Range range, const IdBytes& bytes = {}) {
        found_.push_back({form, range.from, range.size(), bytes});
    }
    void emit_digits(Form form, Range range) { emit(form, range, bytes_of(part(range))); }
    [[nodiscard]] bool is_known(Form form, Range range) const {
        return known_ != nullptr && known_->has(form, bytes_of(part(range)));
    }

    // Those with a prefix of their own. Each gives its end, or 0.
    std::size_t named(std::size_t from) {
        const std::string_view rest = text_.substr(from);
        if (starts_lower(rest, "nqn.")) return nqn(from);
        if (starts_lower(rest, "iqn.") && is_digit(at(from + 4))) return nqn(from);
        for (const std::string_view prefix : {"eui.", "naa.", "nvme."}) {
            if (starts_lower(rest, prefix)) return wwid(from, prefix.size());
        }
        return 0;
    }

    std::size_t nqn(std::size_t from) {
        constexpr std::string_view kEnds = ",'\"()[]{}<>`\\;";
        // In a path a '/' ends it; elsewhere it may be a part of the name.
        const bool path = place_.path || before(from) == '/';
        std::size_t to = from;
        while (to < text_.size() && static_cast<unsigned char>(text_[to]) > ' ' && text_[to] != '\x7f' &&
               kEnds.find(text_[to]) == std::string_view::npos && !(path && text_[to] == '/')) {
            ++to;
        }
        while (to > from && (text_[to - 1] == '.' || text_[to - 1] == ':')) --to;
        constexpr std::string_view kDiscovery = "nqn.2014-08.org.nvmexpress.discovery";
        const Range range{from, to};
        const bool discovery = range.size() == kDiscovery.size() && starts_lower(part(range), kDiscovery);
        if (range.size() > std::string_view("nqn.").size() && !discovery) emit(Form::nqn, range);
        return std::max(to, from + 1);
    }

    std::size_t wwid(std::size_t from, std::size_t prefix) {
        std::size_t to = from + prefix, digits = 0;
        for (; is_hex(at(to)) || (at(to) == '-' && is_hex(at(to + 1))); ++to) digits += at(to) != '-';
        if (digits < kGuidDigits || is_alnum(at(to))) return 0;
        emit(Form::wwid, {from, to});
        return to;
    }

    // Hexadecimal digits and colons as far as they go, with the forms that begin with such digits and go on with another separator.
    std::size_t run_of_groups(std::size_t from) {
        std::size_t end = from;
        while (end < text_.size() && (is_hex(text_[end]) || text_[end] == ':')) ++end;
        Range range{from, end};
        const std::size_t colon = text_.substr(from, end - from).rfind(':');
        const std::size_t last = colon == std::string_view::npos ? from : from + colon + 1;
        if (const std::size_t past = last < end ? other_separators(from, last, end) : 0; past != 0) return past;
        if (colon == std::string_view::npos) {
            digits_alone(range);
        } else {
            groups(range);
        }
        return end;
    }

    // The group at `last`, followed by '.', '-' or '_'. What stands before it in the run is looked at too.
    std::size_t other_separators(std::size_t from, std::size_t last, std::size_t end) {
        const char next = at(end);
        if (next == '.') {
            if (const auto triple = boundary(last) ? triple_at(text_, last) : std::nullopt;
                triple && (triple->letter || is_known(Form::mac_dashes, {last, triple->to}))) {
                if (last != from) groups({from, last});
                emit_digits(Form::mac_dashes, {last, triple->to});
                return triple->to;
            }
            const std::size_t past = boundary(last) ? quad_end(text_, last) : 0;
            if (past == 0) return 0;
            if (last != from && boundary(from) && address_with_quad({from, past})) return past;
            if (!is_plain_quad(last, past)) return 0;
            if (last != from) groups({from, last});
            emit(Form::ip4, {last, past}, quad_bytes({last, past}));
            return past;
        }
        if (next != '-' && next != '_' && next != kEscapedDash.front()) return 0;
        // A UUID may be glued to a word, as in "pod0b1c…".
        const std::size_t uuid = end - std::min(end - last, std::size_t{8});
        std::size_t past = uuid_end(text_, uuid), first = uuid;
        Form form = Form::uuid;
        if (past == 0 && boundary(last)) {
            const auto pairs = pairs_at(text_, last);
            // Underscores separate the numbers of versions too.
            if (!pairs || (pairs->separator == '_' && !is_known(pairs->form, {pairs->from, pairs->to}))) return 0;
            past = pairs->to;
            first = pairs->from;
            form = pairs->form;
        }
        if (past == 0) return 0;
        if (last != from) groups({from, last});
        emit_digits(form, {first, past});
        return past;
    }

    // A version has four numbers too: behind '-', '.', '_', in a place of versions, or behind a word that says so.
    [[nodiscard]] bool is_plain_quad(std::size_t from, std::size_t past) const {
        if (place_.versions) return false;
        const char previous = before(from);
        if (previous == '.') return false;
        if (previous == '-' || previous == '_') return quad_before(from - 1) || known_quad({from, past});
        // What is no release of anything is an address whatever stands before it.
        if (is_private(quad_bytes({from, past})) || known_quad({from, past})) return true;
        return !is_behind(text_, from,
                          {"version", "ver", "fw", "firmware", "driver", "revision", "rev", "pkg", "nvm", "release"});
    }

    [[nodiscard]] bool known_quad(Range range) const {
        return known_ != nullptr && known_->has(Form::ip4, quad_bytes(range));
    }

    [[nodiscard]] IdBytes quad_bytes(Range range) const {
        IdBytes bytes{};
        ::inet_pton(AF_INET, std::string(part(range)).c_str(), bytes.data());
        return bytes;
    }

    // A range "10.0.0.1-10.0.0.9" is two addresses.
    [[nodiscard]] bool quad_before(std::size_t end) const {
        return !found_.empty() && found_.back().form == Form::ip4 && found_.back().at + found_.back().size == end;
    }

    bool address_with_quad(Range range) {
        while (range.size() > 2 && at(range.from) == ':' && at(range.from + 1) != ':') ++range.from;
        if (range.size() > kLongestIp6) return false;
        IdBytes bytes{};
        if (::inet_pton(AF_INET6, std::string(part(range)).c_str(), bytes.data()) != 1) return false;
        emit(Form::ip6_quad, range, bytes);
        return true;
    }

    [[nodiscard]] std::vector<Range> split_groups(Range range) const {
        std::vector<Range> out;
        std::size_t from = range.from;
        for (std::size_t i = range.from; i <= range.to; ++i) {
            if (i != range.to && text_[i] != ':') continue;
            out.push_back({from, i});
            from = i + 1;
        }
        return out;
    }

    // A run with colons. A group that is glued to other letters ("mac:" ends in hexadecimal ones) is none of the address.
    void groups(Range range) {
        if (is_alnum(before(range.from)) || (at(range.from) == ':' && at(range.from + 1) != ':')) {
            const std::size_t colon = std::min(text_.find(':', range.from), range.to);
            digits_alone({range.from, colon});
            range.from = std::min(colon + 1, range.to);
        }
        Range glued{range.to, range.to};
        if (range.to < text_.size() && is_alnum(text_[range.to])) {
            while (range.size() != 0 && text_[range.to - 1] != ':') --range.to;
            glued.from = range.to;
        }
        while (range.size() >= 1 && text_[range.to - 1] == ':' && (range.size() < 2 || text_[range.to - 2] != ':')) {
            --range.to;
        }
        if (range.size() != 0 && !classify(range)) windows(range);
        digits_alone(glued);
    }

    bool classify(Range range) {
        const std::vector<Range> all = split_groups(range);
        const auto are = [&](std::size_t count, std::size_t digits) {
            return all.size() == count &&
                   std::all_of(all.begin(), all.end(), [&](const Range& group) { return group.size() == digits; });
        };
        if (are(6, 2)) return emit_digits(Form::mac_colons, range), true;
        if (are(8, 2)) return emit_digits(Form::eui64_colons, range), true;
        if (are(20, 2)) return emit_digits(Form::ipoib, range), true;
        if (are(4, 4)) return emit_digits(Form::guid_groups, range), true;
        // A list of small numbers; no address is written like that.
        if (are(8, 1)) return true;
        if (all.size() < 3 || all.size() > 9) return false;
        const Range front{range.from, all.back().from - 1};
        const auto whole = address(range), without_port = address(front);
        const bool has_port = without_port && (!whole || (is_link_local(*without_port) && !is_link_local(*whole)));
        if (has_port) return emit(Form::ip6, front, *without_port), true;
        if (whole) return emit(Form::ip6, range, *whole), true;
        return false;
    }

    [[nodiscard]] std::optional<IdBytes> address(Range range) const {
        if (range.size() < 2 || range.size() > kLongestIp6) return std::nullopt;
        IdBytes bytes{};
        if (::inet_pton(AF_INET6, std::string(part(range)).c_str(), bytes.data()) != 1) return std::nullopt;
        return bytes;
    }

    // Of a network of 64 bits, as all of them are that the kernel makes.
    static bool is_link_local(const IdBytes& bytes) {
        return bytes[0] == 0xfe && bytes[1] == 0x80 &&
               std::all_of(bytes.begin() + 2, bytes.begin() + 8, [](std::uint8_t byte) { return byte == 0; });
    }

    // Groups that are no address as a whole: parts of it may be what stood elsewhere alone.
    void windows(Range range) {
        const std::vector<Range> all = split_groups(range);
        const auto known_at = [&](std::size_t first, std::size_t count, std::size_t digits, Form form) {
            if (first + count > all.size()) return false;
            for (std::size_t i = first; i < first + count; ++i) {
                if (all[i].size() != digits) return false;
            }
            return is_known(form, {all[first].from, all[first + count - 1].to});
        };
        struct Shape {
            std::size_t count, digits;
            Form form;
        };
        constexpr Shape kShapes[] = {
            {8, 4, Form::ip6}, {8, 2, Form::eui64_colons}, {6, 2, Form::mac_colons}, {4, 4, Form::guid_groups}};
        for (std::size_t first = 0; first < all.size();) {
            const auto* const shape = std::find_if(std::begin(kShapes), std::end(kShapes), [&](const Shape& each) {
                return known_at(first, each.count, each.digits, each.form);
            });
            if (shape != std::end(kShapes)) {
                emit_digits(shape->form, {all[first].from, all[first + shape->count - 1].to});
                first += shape->count;
            } else {
                digits_alone(all[first]);
                ++first;
            }
        }
    }

    // Digits without separators.
    void digits_alone(Range range) {
        if (range.size() < kMacDigits) return;
        const char previous = lower(before(range.from));
        const char second = lower(range.from >= 2 ? text_[range.from - 2] : '\0');
        const bool behind_0x = previous == 'x' && second == '0' && boundary(range.from - 2);
        const bool ends = !is_alnum(at(range.to));
        if (behind_0x && ends && range.size() == kGuidDigits && !place_.numbers) {
            if (!is_number(bytes_of(part(range))) || is_known(Form::guid_0x, range)) emit_digits(Form::guid_0x, range);
            return;
        }
        if (known_ != nullptr) {
            if (!place_.masks) known_digits(range);
            return;
        }
        // Names that udev makes of an address ("enx001122334455"), and the form of /proc/net/if_inet6.
        const bool in_name =
            range.from >= 3 && previous == 'x' && second >= 'a' && second <= 'z' && boundary(range.from - 3);
        if (in_name && ends && range.size() == kMacDigits) emit_digits(Form::mac_bare, range);
        if (!ends || !boundary(range.from)) return;
        if (range.size() == kMacDigits &&
            is_behind(text_, range.from, {"mac", "mac_addr", "mac_address", "hwaddr", "lladdr", "ether"})) {
            emit_digits(Form::mac_bare, range);
        }
        if (range.size() != kGidDigits) return;
        if (starts_lower(part(range), "fe80000000000000")) {
            emit_digits(Form::gid_bare, range);
        } else if (place_.ids || is_behind(text_, range.from, {"machine_id", "machineid", "boot_id", "uuid"})) {
            emit_digits(Form::uuid, range);
        }
    }

    // No vendor has the block of zeros, and none begins with these: a number, or a mask of many bits.
    static bool is_number(const IdBytes& bytes) {
        return (bytes[0] == 0 && bytes[1] == 0 && bytes[2] == 0) || bytes[0] == 0x7f || bytes[0] == 0xff;
    }

    void known_digits(Range range) {
        struct Shape {
            std::size_t digits;
            Form form;
        };
        constexpr Shape kShapes[] = {
            {kGidDigits, Form::gid_bare}, {kGuidDigits, Form::guid_bare}, {kMacDigits, Form::mac_bare}};
        for (std::size_t from = range.from; from + kMacDigits <= range.to;) {
            const auto* const shape = std::find_if(std::begin(kShapes), std::end(kShapes), [&](const Shape& each) {
                return from + each.digits <= range.to && is_known(each.form, {from, from + each.digits});
            });
            if (shape == std::end(kShapes)) {
                ++from;
                continue;
            }
            emit_digits(shape->form, {from, from + shape->digits});
            from += shape->digits;
        }
    }

    std::string_view text_;
    Place place_;
    const KnownIdentifiers* known_;
    std::size_t at_ = 0;
    std::vector<Identifier> found_;
};

}  // namespace

std::vector<Identifier> find_identifiers(std::string_view text, Place place, const KnownIdentifiers* known) {
    return Scan(text, place, known).run();
}

}  // namespace rd
