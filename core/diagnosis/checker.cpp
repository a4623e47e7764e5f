// SPDX-License-Identifier: GPL-2.0-or-later
// Types: what can be wrong with a condition is said when it is loaded, not when a host is ill.
#include <optional>

#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/diagnosis/node.h"

namespace rd {
namespace {

using Node = Expression::Node;

Sort sort_of(Type type) {
    switch (type) {
        case Type::boolean:
            return Sort::truth;
        case Type::integer:
        case Type::real:
            return Sort::number;
        case Type::text:
            return Sort::text;
        case Type::reference:
            return Sort::entity;
    }
    return Sort::truth;
}

std::string full_name(const FactPath& path) { return std::string(name_of(path.spec->kind)) + "." + path.name; }

class Checker {
public:
    Checker(const Catalog& catalog, const Params& declared) : catalog_(catalog), declared_(declared) {}

    bool condition(Node& node, Kind scope, int depth) {
        const std::optional<Sort> sort = check(node, scope, depth);
        if (!sort) return false;
        if (*sort == Sort::truth) return true;
        return fail(node.place, "expected a condition and found " + std::string(name_of(*sort)),
                    *sort == Sort::number ? "compare it with something, such as > 0" : "compare it with something");
    }

    [[nodiscard]] Complaint complaint() const { return *complaint_; }

private:
    bool fail(Place place, std::string message, std::string hint = {}) {
        if (!complaint_) complaint_ = Complaint{place, std::move(message), std::move(hint)};
        return false;
    }

    std::nullopt_t none(Place place, std::string message, std::string hint = {}) {
        fail(place, std::move(message), std::move(hint));
        return std::nullopt;
    }

    std::optional<Sort> check(Node& node, Kind scope, int depth) {
        if (depth > kMaxDepth) return none(node.place, "nested deeper than " + std::to_string(kMaxDepth));
        const std::optional<Sort> sort = sort_of_node(node, scope, depth);
        if (sort) node.sort = *sort;
        return sort;
    }

    std::optional<Sort> sort_of_node(Node& node, Kind scope, int depth) {
        switch (node.op) {
            case Op::literal:
                return sort_of(type_of(node.literal));
            case Op::duration:
                return Sort::duration;
            case Op::param:
                return param(node);
            case Op::fact:
                return fact(node, scope);
            case Op::disjunction:
            case Op::conjunction:
            case Op::negation:
                for (Node& child : node.children) {
                    if (!condition(child, scope, depth + 1)) return std::nullopt;
                }
                return Sort::truth;
            case Op::minus:
                if (!number(node.children[0], scope, depth + 1)) return std::nullopt;
                return Sort::number;
            case Op::any:
            case Op::all:
            case Op::count:
                return quantifier(node, scope, depth);
            case Op::bit:
                return bit(node, scope, depth);
            case Op::version:
                return version(node, scope, depth);
            default:
                break;
        }
        if (is_comparison(node.op)) return comparison(node, scope, depth);
        if (is_arithmetic(node.op)) return arithmetic(node, scope, depth);
        return fact_function(node, scope);
    }

    std::optional<Sort> param(Node& node) {
        const auto found = declared_.find(node.text);
        if (found != declared_.end()) return sort_of(type_of(found->second));
        std::vector<std::string_view> names;
        for (const auto& [name, value] : declared_) names.push_back(name);
        std::string hint = did_you_mean(node.text, names);
        if (hint.empty()) hint = "declare it: params = { " + node.text + " = … }";
        return none(node.place, "no parameter '$" + node.text + "'", std::move(hint));
    }

    bool resolve(Node& node, Kind scope) {
        auto path = resolve_path(node.text, scope, catalog_);
        if (path) {
            node.path = std::make_shared<const FactPath>(std::move(*path));
            node.sort = sort_of(node.path->spec->type);
            return true;
        }
        Place place = node.place;
        place.column += static_cast<int>(path.error().offset);
        return fail(place, std::move(path.error().message), std::move(path.error().hint));
    }

    std::optional<Sort> fact(Node& node, Kind scope) {
        if (!resolve(node, scope)) return std::nullopt;
        if (is_counter(node.path->spec->nature)) {
            return none(node.place,
                        full_name(*node.path) + " is a counter: its value depends on when it was last cleared",
                        "use rate(" + node.text + ", 10s) or increase(" + node.text + ", 10s)");
        }
        return node.sort;
    }

    // Its argument is the name of a fact: what a function looks at over time cannot be computed.
    std::optional<Sort> fact_function(Node& node, Kind scope) {
        Node& argument = node.children[0];
        const std::string call = std::string(name_of(node.op)) + "()";
        if (argument.op != Op::fact) return none(argument.place, call + " takes the name of a fact");
        if (!resolve(argument, scope)) return std::nullopt;
        if (!suits(node.op, argument)) return std::nullopt;
        if (has_window(node.op) && !window(node.children[1], call)) return std::nullopt;
        return node.op == Op::changed || node.op == Op::known ? Sort::truth : Sort::number;
    }

    bool suits(Op op, const Node& argument) {
        const FactSpec& spec = *argument.path->spec;
        const std::string name = full_name(*argument.path);
        const bool counts = is_counter(spec.nature);
        switch (op) {
            case Op::rate:
            case Op::increase:
            case Op::lifetime:
                if (counts) return true;
                if (spec.nature == Nature::percent) {
                    return fail(argument.place,
                                name + " is a percentage of the last second and has no " + std::string(name_of(op)),
                                "use its value, or avg(" + argument.text + ", 10s)");
                }
                return fail(argument.place,
                            name + " is not a counter but of nature " + std::string(name_of(spec.nature)),
                            "use its value, avg(), min(), max() or changed()");
            case Op::average:
            case Op::minimum:
            case Op::maximum:
                if (counts) {
                    return fail(argument.place, name + " is a counter: its values have no " + std::string(name_of(op)),
                                "use rate(" + argument.text + ", 10s)");
                }
                if (sort_of(spec.type) == Sort::number) return true;
                return fail(argument.place, name + " is " + std::string(name_of(spec.type)) + ", not a number");
            default:
                return true;
        }
    }

    bool window(Node& node, const std::string& call) {
        if (node.op == Op::duration) {
            node.sort = Sort::duration;
            return window_length(node, std::chrono::nanoseconds(std::get<std::int64_t>(node.literal)), call);
        }
        if (node.op != Op::param) return fail(node.place, call + ": expected a window", "write a duration such as 10s");
        const std::optional<Sort> sort = param(node);
        if (!sort) return false;
        const auto& value = declared_.find(node.text)->second;
        const auto* text = std::get_if<std::string>(&value);
        const auto duration = text != nullptr ? parse_duration(*text) : parse_duration("");
        if (!duration) {
            return fail(node.place, call + ": $" + node.text + " is not a duration but " + printable(print(value)),
                        "write it as a text: params = { " + node.text + " = \"10s\" }");
        }
        node.sort = Sort::duration;
        return window_length(node, *duration, call);
    }

    bool window_length(const Node& node, std::chrono::nanoseconds window, const std::string& call) {
        if (window.count() <= 0) return fail(node.place, call + ": the window is 0");
        if (window > kMaxWindow)
            return fail(node.place, call + ": the window is longer than " + print_duration(kMaxWindow));
        return true;
    }

    bool number(Node& node, Kind scope, int depth) {
        const std::optional<Sort> sort = check(node, scope, depth);
        if (!sort) return false;
        if (*sort == Sort::number) return true;
        return fail(node.place, "expected a number and found " + std::string(name_of(*sort)));
    }

    std::optional<Sort> arithmetic(Node& node, Kind scope, int depth) {
        for (Node& child : node.children) {
            if (!number(child, scope, depth + 1)) return std::nullopt;
        }
        const Node& right = node.children[1];
        if (node.op == Op::divide && right.op == Op::literal && std::get_if<std::int64_t>(&right.literal) != nullptr &&
            std::get<std::int64_t>(right.literal) == 0) {
            return none(right.place, "division by zero");
        }
        return Sort::number;
    }

    // A duration stands for a number only beside a fact that is counted in seconds.
    bool duration_beside(Node& duration, const Node& other) {
        const bool over_time = other.op == Op::average || other.op == Op::minimum || other.op == Op::maximum;
        const Node& fact = over_time ? other.children[0] : other;
        const std::string unit = fact.path != nullptr ? std::string(fact.path->spec->unit) : std::string{};
        if (unit != "seconds" || other.sort != Sort::number) {
            return fail(duration.place, duration.text + " is a duration and the other side is " +
                                            (unit.empty() ? std::string(name_of(other.sort)) : "in " + unit));
        }
        const double value = static_cast<double>(std::get<std::int64_t>(duration.literal)) / 1e9;
        duration.op = Op::literal;
        duration.sort = Sort::number;
        duration.literal = value;
        return true;
    }

    std::optional<Sort> comparison(Node& node, Kind scope, int depth) {
        Node& left = node.children[0];
        Node& right = node.children[1];
        if (!check(left, scope, depth + 1) || !check(right, scope, depth + 1)) return std::nullopt;
        if (left.sort == Sort::duration && !duration_beside(left, right)) return std::nullopt;
        if (right.sort == Sort::duration && !duration_beside(right, left)) return std::nullopt;
        if (left.sort != right.sort) {
            const bool versions = left.sort == Sort::version || right.sort == Sort::version;
            return none(
                node.place,
                std::string(name_of(left.sort)) + " cannot be compared with " + std::string(name_of(right.sort)),
                versions ? "write version(…) on both sides" : "");
        }
        const bool ordered = node.op != Op::equal && node.op != Op::unequal;
        if (ordered && left.sort != Sort::number && left.sort != Sort::version) {
            return none(node.place, std::string(name_of(left.sort)) + " has no order: only == and != apply",
                        left.sort == Sort::text ? "dotted versions compare as version(…)" : "");
        }
        return Sort::truth;
    }

    std::optional<Sort> quantifier(Node& node, Kind scope, int depth) {
        if (scope != Kind::host) {
            for (const FactSpec* row : catalog_.all()) {
                if (row->kind == node.kind && row->type == Type::reference && row->target == scope)
                    node.links.push_back(row);
            }
            if (node.links.empty()) {
                return none(node.place, "no fact of " + std::string(name_of(node.kind)) + " refers to a " +
                                            std::string(name_of(scope)));
            }
        }
        for (Node& child : node.children) {
            if (!condition(child, node.kind, depth + 1)) return std::nullopt;
        }
        return node.op == Op::count ? Sort::number : Sort::truth;
    }

    std::optional<Sort> bit(Node& node, Kind scope, int depth) {
        if (!number(node.children[0], scope, depth + 1) || !number(node.children[1], scope, depth + 1))
            return std::nullopt;
        for (const Node& child : node.children) {
            if (child.path == nullptr || child.path->spec->type == Type::integer) continue;
            return none(child.place, full_name(*child.path) + " is not an integer");
        }
        const Node& index = node.children[1];
        if (index.op != Op::literal && index.op != Op::param) return Sort::truth;
        const Value& n = index.op == Op::literal ? index.literal : declared_.find(index.text)->second;
        const auto* whole = std::get_if<std::int64_t>(&n);
        if (whole == nullptr || *whole < 0 || *whole > kMaxBit)
            return none(index.place, "bit(): n is a number from 0 to " + std::to_string(kMaxBit));
        return Sort::truth;
    }

    std::optional<Sort> version(Node& node, Kind scope, int depth) {
        Node& child = node.children[0];
        const std::optional<Sort> sort = check(child, scope, depth + 1);
        if (!sort) return std::nullopt;
        if (*sort != Sort::text)
            return none(child.place, "version() takes a text and found " + std::string(name_of(*sort)));
        return Sort::version;
    }

    const Catalog& catalog_;
    const Params& declared_;
    std::optional<Complaint> complaint_;
};

}  // namespace

tl::expected<void, Complaint> check_types(Node& root, Kind scope, const Catalog& catalog, const Params& declared) {
    Checker checker(catalog, declared);
    if (!checker.condition(root, scope, 1)) return tl::unexpected(checker.complaint());
    return {};
}

}  // namespace rd
