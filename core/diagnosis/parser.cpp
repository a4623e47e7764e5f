// SPDX-License-Identifier: GPL-2.0-or-later
// Recursive descent; the first complaint ends it. Types are the checker's business.
#include <optional>

#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/diagnosis/node.h"
#include "core/diagnosis/token.h"

namespace rd {
namespace {

using Node = Expression::Node;

constexpr std::string_view kFunctions[] = {"rate",  "increase", "avg", "min",   "max", "changed", "lifetime",
                                           "known", "any",      "all", "count", "bit", "version"};

struct Binary {
    std::string_view symbol;
    Op op;
};
constexpr Binary kComparisons[] = {{"==", Op::equal},      {"!=", Op::unequal}, {"<", Op::less},
                                   {"<=", Op::less_equal}, {">", Op::greater},  {">=", Op::greater_equal}};
constexpr Binary kSums[] = {{"+", Op::add}, {"-", Op::subtract}};
constexpr Binary kProducts[] = {{"*", Op::multiply}, {"/", Op::divide}};

class Parser {
public:
    explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

    tl::expected<Node, Complaint> run() {
        if (now().kind == TokenKind::end) {
            fail(now().place, "the expression is empty");
            return tl::unexpected(std::move(*complaint_));
        }
        std::optional<Node> root = disjunction();
        if (root && now().kind != TokenKind::end) {
            fail(now().place, "unexpected " + shown(now()), "terms are joined by 'and' or 'or'");
            root.reset();
        }
        if (!root) return tl::unexpected(std::move(*complaint_));
        return std::move(*root);
    }

private:
    using Maybe = std::optional<Node>;

    [[nodiscard]] const Token& now() const { return tokens_[at_]; }
    [[nodiscard]] bool is_word(std::string_view word) const {
        return now().kind == TokenKind::name && now().text == word;
    }
    [[nodiscard]] bool is_symbol(std::string_view symbol) const {
        return now().kind == TokenKind::symbol && now().text == symbol;
    }
    [[nodiscard]] bool followed_by_parenthesis() const {
        return at_ + 1 < tokens_.size() && tokens_[at_ + 1].kind == TokenKind::symbol && tokens_[at_ + 1].text == "(";
    }

    static std::string shown(const Token& token) {
        switch (token.kind) {
            case TokenKind::end:
                return "end of the expression";
            case TokenKind::text:
                return "\"" + printable(token.text) + "\"";
            case TokenKind::param:
                return "'$" + printable(token.text) + "'";
            default:
                return "'" + printable(token.text) + "'";
        }
    }

    std::nullopt_t fail(Place place, std::string message, std::string hint = {}) {
        if (!complaint_) complaint_ = Complaint{place, std::move(message), std::move(hint)};
        return std::nullopt;
    }

    // Every way down passes here, so that no text can exhaust the stack.
    bool descend() {
        if (++depth_ <= kMaxDepth) return true;
        fail(now().place, "nested deeper than " + std::to_string(kMaxDepth));
        return false;
    }

    static Node make(Op op, Place place) {
        Node node;
        node.op = op;
        node.place = place;
        return node;
    }

    Maybe joined(std::string_view word, Op op, Maybe (Parser::*term)()) {
        Maybe first = (this->*term)();
        if (!first || !is_word(word)) return first;
        Node node = make(op, first->place);
        node.children.push_back(std::move(*first));
        while (is_word(word)) {
            ++at_;
            Maybe next = (this->*term)();
            if (!next) return std::nullopt;
            node.children.push_back(std::move(*next));
        }
        return node;
    }

    Maybe disjunction() { return joined("or", Op::disjunction, &Parser::conjunction); }
    Maybe conjunction() { return joined("and", Op::conjunction, &Parser::negation); }

    Maybe negation() {
        if (!is_word("not")) return comparison();
        Node node = make(Op::negation, now().place);
        ++at_;
        if (!descend()) return std::nullopt;
        Maybe child = negation();
        --depth_;
        if (!child) return std::nullopt;
        node.children.push_back(std::move(*child));
        return node;
    }

    [[nodiscard]] std::optional<Op> operator_of(std::span<const Binary> table) const {
        for (const Binary& entry : table) {
            if (is_symbol(entry.symbol)) return entry.op;
        }
        return std::nullopt;
    }

    Maybe comparison() {
        Maybe left = sum();
        if (!left) return std::nullopt;
        const std::optional<Op> op = operator_of(kComparisons);
        if (!op) return left;
        Node node = make(*op, now().place);
        ++at_;
        Maybe right = sum();
        if (!right) return std::nullopt;
        if (operator_of(kComparisons)) {
            return fail(now().place, "comparisons cannot be chained", "join two of them by 'and'");
        }
        node.children.push_back(std::move(*left));
        node.children.push_back(std::move(*right));
        return node;
    }

    Maybe chain(std::span<const Binary> table, Maybe (Parser::*term)()) {
        Maybe left = (this->*term)();
        int links = 0;
        while (left) {
            const std::optional<Op> op = operator_of(table);
            if (!op) return left;
            // A chain of operators is a tree as deep as the chain is long.
            if (++links + depth_ > kMaxDepth) {
                return fail(now().place, "nested deeper than " + std::to_string(kMaxDepth));
            }
            Node node = make(*op, now().place);
            ++at_;
            Maybe right = (this->*term)();
            if (!right) return std::nullopt;
            node.children.push_back(std::move(*left));
            node.children.push_back(std::move(*right));
            left = std::move(node);
        }
        return left;
    }

    Maybe sum() { return chain(kSums, &Parser::product); }
    Maybe product() { return chain(kProducts, &Parser::sign); }

    Maybe sign() {
        if (!is_symbol("-")) return primary();
        Node node = make(Op::minus, now().place);
        ++at_;
        if (!descend()) return std::nullopt;
        Maybe child = sign();
        --depth_;
        if (!child) return std::nullopt;
        node.children.push_back(std::move(*child));
        return node;
    }

    Maybe primary() {
        const Token& token = now();
        switch (token.kind) {
            case TokenKind::number:
            case TokenKind::duration:
            case TokenKind::text:
                return leaf(token.kind == TokenKind::duration ? Op::duration : Op::literal);
            case TokenKind::param:
                return leaf(Op::param);
            case TokenKind::name:
                return name();
            case TokenKind::symbol:
                if (token.text == "(") return parenthesis();
                break;
            case TokenKind::end:
                break;
        }
        return fail(token.place, "expected a fact, a value or '(' and found " + shown(token));
    }

    Maybe leaf(Op op) {
        const Token& token = now();
        Node node = make(op, token.place);
        node.literal = token.kind == TokenKind::text ? Value(token.text) : token.value;
        node.text = token.text;
        ++at_;
        return node;
    }

    Maybe parenthesis() {
        const Place opened = now().place;
        ++at_;
        if (!descend()) return std::nullopt;
        Maybe inner = disjunction();
        --depth_;
        if (!inner) return std::nullopt;
        if (!is_symbol(")")) return fail(now().place, "expected ')' and found " + shown(now()), opened_at(opened));
        ++at_;
        return inner;
    }

    static std::string opened_at(Place place) {
        return "'(' is at line " + std::to_string(place.line) + ", column " + std::to_string(place.column);
    }

    Maybe name() {
        const Token& token = now();
        if (token.text == "true" || token.text == "false") {
            Node node = make(Op::literal, token.place);
            node.literal = token.text == "true";
            ++at_;
            return node;
        }
        if (token.text == "and" || token.text == "or" || token.text == "not") {
            return fail(token.place, "expected a fact, a value or '(' and found '" + token.text + "'",
                        token.text == "not" ? "put the 'not …' into parentheses" : "");
        }
        if (followed_by_parenthesis()) return call();
        Node node = make(Op::fact, token.place);
        node.text = token.text;
        ++at_;
        return node;
    }

    Maybe call() {
        const Token& token = now();
        std::optional<Op> op;
        for (int i = static_cast<int>(Op::rate); i <= static_cast<int>(Op::version); ++i) {
            if (name_of(static_cast<Op>(i)) == token.text) op = static_cast<Op>(i);
        }
        if (!op) {
            return fail(token.place, "no function '" + printable(token.text) + "'",
                        did_you_mean(token.text, kFunctions));
        }
        Node node = make(*op, token.place);
        const Place opened = tokens_[at_ + 1].place;
        at_ += 2;
        if (!descend()) return std::nullopt;
        if (is_quantifier(*op) && !kind(node)) return std::nullopt;
        if (!arguments(node, opened)) return std::nullopt;
        --depth_;
        return arity(std::move(node));
    }

    bool kind(Node& node) {
        const Token& token = now();
        if (token.kind != TokenKind::name || !kind_from_name(token.text, node.kind)) {
            std::vector<std::string_view> names;
            for (int i = 0; i < kKindCount; ++i) names.push_back(name_of(static_cast<Kind>(i)));
            fail(token.place, "expected a kind of entity and found " + shown(token), did_you_mean(token.text, names));
            return false;
        }
        ++at_;
        if (is_symbol(",")) {
            ++at_;
        } else if (!is_symbol(")")) {
            fail(now().place, "expected ',' or ')' and found " + shown(now()));
            return false;
        }
        return true;
    }

    bool arguments(Node& node, Place opened) {
        if (is_symbol(")") && node.children.empty()) {
            ++at_;
            return true;
        }
        for (;;) {
            Maybe argument = disjunction();
            if (!argument) return false;
            node.children.push_back(std::move(*argument));
            if (is_symbol(")")) break;
            if (!is_symbol(",")) {
                fail(now().place, "expected ',' or ')' and found " + shown(now()), opened_at(opened));
                return false;
            }
            ++at_;
        }
        ++at_;
        return true;
    }

    Maybe arity(Node node) {
        const std::size_t got = node.children.size();
        std::string usage;
        bool good = false;
        if (has_window(node.op)) {
            good = got == 2;
            usage = "(fact, window), such as " + std::string(name_of(node.op)) + "(fact, 10s)";
        } else if (node.op == Op::any || node.op == Op::all) {
            good = got == 1;
            usage = "(KIND, condition)";
        } else if (node.op == Op::count) {
            good = got <= 1;
            usage = "(KIND) or (KIND, condition)";
        } else if (node.op == Op::bit) {
            good = got == 2;
            usage = "(integer, n)";
        } else {
            good = got == 1;
            usage = node.op == Op::version ? "(text)" : "(fact)";
        }
        if (good) return node;
        const std::string what =
            has_window(node.op) && got == 1 ? "the window is missing" : "wrong number of arguments";
        return fail(node.place, std::string(name_of(node.op)) + "(): " + what, "it takes " + usage);
    }

    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    int depth_ = 0;
    std::optional<Complaint> complaint_;
};

}  // namespace

tl::expected<Node, Complaint> parse_expression(std::string_view text, Place start) {
    if (text.size() > kMaxLength) {
        return tl::unexpected(Complaint{start, "longer than " + std::to_string(kMaxLength) + " bytes",
                                        "compute what it needs as a derived fact"});
    }
    auto tokens = tokenize(text, start);
    if (!tokens) return tl::unexpected(std::move(tokens.error()));
    return Parser(std::move(*tokens)).run();
}

}  // namespace rd
