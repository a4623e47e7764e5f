// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/log_literal.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <iterator>
#include <utility>

#include "core/base/letters.h"

namespace rd {
namespace {

using Literals = std::vector<std::string>;

std::size_t shortest_of(const Literals& literals) {
    std::size_t least = literals.empty() ? 0 : literals.front().size();
    for (const std::string& one : literals) least = std::min(least, one.size());
    return least;
}

// Reads a pattern from left to right. Whatever is no plain letter ends a literal; what it cannot follow ends the reading.
class Reading {
public:
    explicit Reading(std::string_view pattern) : pattern_(pattern) {}

    Literals whole() {
        Literals certain = alternation();
        return followed_ && at_ == pattern_.size() ? std::move(certain) : Literals{};
    }

private:
    // Up to the end of the pattern or of the group. Every branch needs its own.
    Literals alternation() {
        Literals all;
        bool certain = true;
        do {
            Literals branch = concatenation();
            certain = certain && !branch.empty();
            std::move(branch.begin(), branch.end(), std::back_inserter(all));
        } while (followed_ && take("|"));
        return certain ? std::move(all) : Literals{};
    }

    Literals concatenation() {
        Literals best;
        std::string run;
        const auto offer = [&best](Literals literals) {
            const std::size_t shortest = shortest_of(literals);
            if (shortest >= kShortestLiteral && shortest > shortest_of(best)) best = std::move(literals);
        };
        const auto end_run = [&] {
            offer({run});
            run.clear();
        };
        while (followed_ && at_ < pattern_.size() && pattern_[at_] != '|' && pattern_[at_] != ')') {
            const char c = pattern_[at_++];
            if (c == '\\') {
                if (const char letter = escaped())
                    run += letter;
                else
                    end_run();
            } else if (c == '(') {
                end_run();
                Literals inner = group();
                if (!may_be_absent()) offer(std::move(inner));
            } else if (c == '[') {
                end_run();
                skip_class();
            } else if (c == '*' || c == '?' || c == '{') {
                // The letter before may be absent, or come more than once.
                if (!run.empty()) run.pop_back();
                end_run();
                if (c == '{') skip_counts();
            } else if (c == '+' || c == '.' || c == '^' || c == '$' || static_cast<unsigned char>(c) >= 0x80) {
                // Of other letters than ASCII's this does not know which are the same in lower case.
                end_run();
            } else {
                run += lower(c);
            }
        }
        end_run();
        return best;
    }

    [[nodiscard]] bool may_be_absent() const {
        return at_ < pattern_.size() && (pattern_[at_] == '*' || pattern_[at_] == '?' || pattern_[at_] == '{');
    }

    // Behind the bracket. Flags change nothing of what is looked for here: letters are compared in lower case, greed is no matter.
    Literals group() {
        if (take("?P<")) {
            skip_past('>');
        } else if (take("?")) {
            at_ = std::min(pattern_.find_first_not_of("imsU-", at_), pattern_.size());
            if (take(")")) {
                // What would say how often applies to the letter before.
                followed_ = followed_ && !may_be_absent();
                return {};
            }
            followed_ = followed_ && take(":");
        }
        Literals certain = alternation();
        followed_ = followed_ && take(")");
        return certain;
    }

    // A letter after the backslash is a class, an assertion, or something that is not followed: \Q begins a quotation.
    char escaped() {
        const char c = at_ < pattern_.size() ? pattern_[at_++] : 'Q';
        if (std::strchr("dDwWsSbB", c) != nullptr) return '\0';
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80)
            followed_ = false;
        return c;
    }

    void skip_class() {
        (void)take("^");
        (void)take("]");
        while (at_ < pattern_.size()) {
            const char c = pattern_[at_++];
            if (c == ']') return;
            if (c == '\\') ++at_;
            // [:alpha:] has a bracket of its own.
            if (c == '[' && take(":")) skip_past(']');
        }
        followed_ = false;
    }

    // Where no counts stand, the brace is a letter like others.
    void skip_counts() {
        const std::size_t end = pattern_.find_first_not_of("0123456789,", at_);
        followed_ = followed_ && end != std::string_view::npos && end != at_ && pattern_[end] == '}';
        at_ = followed_ ? end + 1 : pattern_.size();
    }

    void skip_past(char end) {
        const std::size_t found = pattern_.find(end, at_);
        followed_ = followed_ && found != std::string_view::npos;
        at_ = found == std::string_view::npos ? pattern_.size() : found + 1;
    }

    bool take(std::string_view text) {
        if (at_ > pattern_.size() || !pattern_.substr(at_).starts_with(text)) return false;
        at_ += text.size();
        return true;
    }

    std::string_view pattern_;
    std::size_t at_ = 0;
    bool followed_ = true;
};

std::uint32_t four_at(const char* bytes) {
    std::uint32_t four = 0;
    std::memcpy(&four, bytes, sizeof four);
    return four;
}

// A multiplicative hash, of which the upper bits are the good ones.
std::size_t place_of(std::uint32_t four) { return (four * 2654435761u) >> (32 - LiteralIndex::kPlaceBits); }

}  // namespace

std::vector<std::string> required_literals(std::string_view pattern) { return Reading(pattern).whole(); }

void LiteralIndex::add(std::string literal, int number) {
    const std::uint32_t first = four_at(literal.data());
    beginnings_.set(place_of(first));
    literals_.emplace(first, One{std::move(literal), number});
}

std::vector<int> LiteralIndex::in(std::string_view line, std::size_t most) const {
    const std::string lowered = lower(line);
    const std::string_view text = lowered;
    std::vector<int> found;
    for (std::size_t at = 0; at + kShortestLiteral <= text.size(); ++at) {
        const std::uint32_t first = four_at(text.data() + at);
        if (!beginnings_.test(place_of(first))) continue;
        const auto [begin, end] = literals_.equal_range(first);
        for (auto each = begin; each != end; ++each) {
            const One& one = each->second;
            if (!text.substr(at).starts_with(one.literal)) continue;
            if (std::find(found.begin(), found.end(), one.number) != found.end()) continue;
            found.push_back(one.number);
            if (found.size() > most) return found;
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace rd
