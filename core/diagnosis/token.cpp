// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/token.h"

#include <charconv>
#include <limits>
#include <optional>

#include "core/base/text.h"

namespace rd {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

struct Unit {
    std::string_view name;
    std::int64_t factor;
};

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr Unit kDurations[] = {
    {"ms", 1'000'000}, {"s", kSecond}, {"m", 60 * kSecond}, {"h", 3600 * kSecond}, {"d", 86400 * kSecond}};
constexpr Unit kSizes[] = {{"K", 1LL << 10}, {"M", 1LL << 20}, {"G", 1LL << 30}, {"T", 1LL << 40}};

class Lexer {
public:
    Lexer(std::string_view text, Place start) : text_(text), place_(start) {}

    tl::expected<std::vector<Token>, Complaint> run() {
        for (;;) {
            skip_blanks();
            Token token;
            token.place = place_;
            if (at_ == text_.size()) {
                tokens_.push_back(std::move(token));
                return std::move(tokens_);
            }
            if (!read(token)) return tl::unexpected(std::move(*complaint_));
            tokens_.push_back(std::move(token));
        }
    }

private:
    [[nodiscard]] char peek(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }

    void advance() {
        const char c = text_[at_++];
        if (c == '\n') {
            ++place_.line;
            place_.column = 1;
        } else if ((static_cast<unsigned char>(c) & 0xC0u) != 0x80u) {  // the first byte of a character
            ++place_.column;
        }
    }

    void skip_blanks() {
        while (at_ < text_.size()) {
            const char c = peek();
            if (c == '#') {
                while (at_ < text_.size() && peek() != '\n') advance();
            } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
                advance();
            } else {
                return;
            }
        }
    }

    bool fail(Place place, std::string message, std::string hint = {}) {
        complaint_ = Complaint{place, std::move(message), std::move(hint)};
        return false;
    }

    bool read(Token& token) {
        const char c = peek();
        if (is_letter(c)) return read_name(token);
        if (is_digit(c)) return read_number(token);
        if (c == '"') return read_text(token);
        if (c == '$') return read_param(token);
        return read_symbol(token);
    }

    bool read_name(Token& token) {
        token.kind = TokenKind::name;
        while (is_letter(peek()) || is_digit(peek()) || (peek() == '.' && is_letter(peek(1)))) {
            token.text += peek();
            advance();
        }
        if (peek() == '.') return fail(place_, "a name is expected after '.'");
        return true;
    }

    bool read_param(Token& token) {
        token.kind = TokenKind::param;
        advance();
        while (is_letter(peek()) || is_digit(peek())) {
            token.text += peek();
            advance();
        }
        if (token.text.empty() || is_digit(token.text.front())) {
            return fail(token.place, "a parameter's name is expected after '$'");
        }
        return true;
    }

    bool read_text(Token& token) {
        token.kind = TokenKind::text;
        advance();
        while (peek() != '"') {
            if (at_ == text_.size() || peek() == '\n') return fail(token.place, "the text is not closed by '\"'");
            if (peek() == '\\') {
                advance();
                if (peek() != '"' && peek() != '\\') return fail(place_, R"(only \" and \\ may follow '\' in a text)");
            }
            token.text += peek();
            advance();
        }
        advance();
        return true;
    }

    void take_digits(std::string& into) {
        while (is_digit(peek())) {
            into += peek();
            advance();
        }
    }

    bool read_number(Token& token) {
        token.kind = TokenKind::number;
        bool whole = true;
        take_digits(token.text);
        if (peek() == '.' && is_digit(peek(1))) {
            whole = false;
            token.text += '.';
            advance();
            take_digits(token.text);
        }
        const std::size_t sign = peek(1) == '-' || peek(1) == '+' ? 1 : 0;
        if (peek() == 'e' && is_digit(peek(1 + sign))) {
            whole = false;
            token.text += 'e';
            advance();
            if (sign != 0) {
                if (peek() == '-') token.text += '-';
                advance();
            }
            take_digits(token.text);
        }
        if (!convert(token, whole)) return false;
        return is_letter(peek()) ? read_unit(token) : true;
    }

    bool convert(Token& token, bool whole) {
        const char* const begin = token.text.data();
        const char* const end = begin + token.text.size();
        if (whole) {
            std::int64_t number = 0;
            if (std::from_chars(begin, end, number).ec != std::errc{})
                return fail(token.place, "the number is too large");
            token.value = number;
        } else {
            double number = 0;
            if (std::from_chars(begin, end, number).ec != std::errc{}) {
                return fail(token.place, "the number is too large or too small");
            }
            token.value = number;
        }
        return true;
    }

    bool read_unit(Token& token) {
        const Place where = place_;
        std::string name;
        while (is_letter(peek()) || is_digit(peek())) {
            name += peek();
            advance();
        }
        token.text += name;
        for (const Unit& unit : kDurations) {
            if (unit.name != name) continue;
            token.kind = TokenKind::duration;
            return scale(token, unit.factor);
        }
        for (const Unit& unit : kSizes) {
            if (unit.name == name) return scale(token, unit.factor);
        }
        return fail(where, "unknown unit '" + printable(name) + "'",
                    "durations: ms s m h d; sizes: K M G T (powers of 1024)");
    }

    bool scale(Token& token, std::int64_t factor) {
        constexpr double kLimit = 9.2e18;
        std::int64_t exact = 0;
        if (const auto* whole = std::get_if<std::int64_t>(&token.value)) {
            if (__builtin_mul_overflow(*whole, factor, &exact)) return fail(token.place, "the number is too large");
            token.value = exact;
            return true;
        }
        const double product = std::get<double>(token.value) * static_cast<double>(factor);
        if (product > kLimit) return fail(token.place, "the number is too large");
        if (token.kind == TokenKind::duration) {
            token.value = static_cast<std::int64_t>(product);
        } else {
            token.value = product;
        }
        return true;
    }

    bool read_symbol(Token& token) {
        token.kind = TokenKind::symbol;
        const std::string_view two = text_.substr(at_, 2);
        for (const std::string_view symbol : {"==", "!=", "<=", ">="}) {
            if (two == symbol) return take(token, 2);
        }
        if (two == "&&") return fail(token.place, "'&&' is not an operator", "write 'and'");
        if (two == "||") return fail(token.place, "'||' is not an operator", "write 'or'");
        switch (peek()) {
            case '<':
            case '>':
            case '+':
            case '-':
            case '*':
            case '/':
            case '(':
            case ')':
            case ',':
                return take(token, 1);
            case '=':
                return fail(token.place, "'=' is not an operator", "equality is written '=='");
            case '!':
                return fail(token.place, "'!' is not an operator", "write 'not'");
            case '\'':
                return fail(token.place, "a text is written with '\"'");
            default:
                return fail(token.place, "unexpected '" + printable(text_.substr(at_, 1)) + "'");
        }
    }

    bool take(Token& token, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            token.text += peek();
            advance();
        }
        return true;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    Place place_;
    std::vector<Token> tokens_;
    std::optional<Complaint> complaint_;
};

}  // namespace

tl::expected<std::vector<Token>, Complaint> tokenize(std::string_view text, Place start) {
    return Lexer(text, start).run();
}

}  // namespace rd
