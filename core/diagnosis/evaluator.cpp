// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/evaluator.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/diagnosis/number.h"
#include "core/diagnosis/version.h"

namespace rd {
namespace {

// A condition over a thousand processes must not make a finding of a thousand lines.
constexpr std::size_t kMaxNotes = 256;

Truth truth_of(bool value) { return value ? Truth::yes : Truth::no; }

bool holds(Op op, std::partial_ordering order) {
    switch (op) {
        case Op::equal:
            return order == 0;
        case Op::unequal:
            return order != 0;
        case Op::less:
            return order < 0;
        case Op::less_equal:
            return order <= 0;
        case Op::greater:
            return order > 0;
        default:
            return order >= 0;
    }
}

template <class Note>
bool same(const Note& a, const Note& b) {
    if constexpr (std::is_same_v<Note, Evidence>) {
        return a.fact == b.fact && a.how == b.how && a.window == b.window && a.entity == b.entity;
    } else {
        return a.fact == b.fact && a.entity == b.entity;
    }
}

template <class Note>
void drop_repeats(std::vector<Note>& notes) {
    std::vector<Note> once;
    for (Note& note : notes) {
        if (std::none_of(once.begin(), once.end(), [&](const Note& seen) { return same(seen, note); })) {
            once.push_back(std::move(note));
        }
    }
    notes = std::move(once);
}

// Marks evidence of known(fact) until the end.
constexpr std::string_view kKnown = "known";

// That a fact is known is worth telling where nothing more is told of it: else a total would stand beside each rate.
void drop_known(std::vector<Evidence>& notes) {
    std::vector<Evidence> kept;
    for (const Evidence& note : notes) {
        const bool told = note.how == kKnown && std::any_of(notes.begin(), notes.end(), [&](const Evidence& other) {
                              return other.fact == note.fact && other.entity == note.entity && other.how != kKnown;
                          });
        if (told) continue;
        kept.push_back(note);
        if (note.how == kKnown) kept.back().how.clear();
    }
    notes = std::move(kept);
}

}  // namespace

Outcome Evaluator::run(const Node& root, const Entity& subject) {
    Outcome outcome;
    outcome.truth = truth(root, subject);
    drop_repeats(evidence_);
    drop_known(evidence_);
    drop_repeats(missing_);
    outcome.evidence = std::move(evidence_);
    outcome.missing = std::move(missing_);
    return outcome;
}

Truth Evaluator::run_silently(const Node& root, const Entity& subject) {
    silent_ = true;
    return truth(root, subject);
}

void Evaluator::forget(Mark from, Mark to) {
    const auto cut = [](auto& notes, std::size_t first, std::size_t last) {
        notes.erase(notes.begin() + static_cast<std::ptrdiff_t>(first),
                    notes.begin() + static_cast<std::ptrdiff_t>(last));
    };
    cut(evidence_, from.evidence, to.evidence);
    cut(missing_, from.missing, to.missing);
}

void Evaluator::rollback(Mark to) { forget(to, mark()); }

void Evaluator::note(const Entity& entity, const Node& fact, std::string_view how, const Reading& reading,
                     std::string_view unit, std::optional<std::chrono::nanoseconds> window, Stamp at) {
    if (silent_ || evidence_.size() >= kMaxNotes) return;
    evidence_.push_back(Evidence{entity, fact.path->name, std::string(how), reading, std::string(unit), window, at});
}

Missing Evaluator::missing(const Entity& entity, std::string_view fact, const Gap& gap) const {
    if (silent_) return Missing{{}, {}, Gap{gap.kind, {}, {}}};
    return Missing{entity, std::string(fact), gap};
}

void Evaluator::miss(Missing missing) {
    if (missing_.size() < kMaxNotes) missing_.push_back(std::move(missing));
}

Truth Evaluator::truth(const Node& node, const Entity& subject) {
    const std::size_t missing_before = missing_.size();
    const std::size_t bounds_before = bounds_.size();
    const Truth result = decide(node, subject);
    // Known in spite of what is missing: then it did not matter.
    if (result != Truth::unknown) missing_.resize(missing_before);
    bounds_.resize(bounds_before);
    return result;
}

Truth Evaluator::decide(const Node& node, const Entity& subject) {
    switch (node.op) {
        case Op::conjunction:
            return conjunction(node, subject);
        case Op::disjunction:
            return disjunction(node, subject);
        case Op::negation: {
            const Truth inner = truth(node.children[0], subject);
            return inner == Truth::unknown ? inner : truth_of(inner == Truth::no);
        }
        case Op::known:
            return known(node, subject);
        case Op::changed:
            return changed(node, subject);
        case Op::any:
            return any(node, subject);
        case Op::all:
            return all(node, subject);
        case Op::bit:
            return bit(node, subject);
        default:
            break;
    }
    if (is_comparison(node.op)) return comparison(node, subject);
    const Datum value = datum(node, subject);
    return value.known ? truth_of(std::get<bool>(value.value)) : Truth::unknown;
}

// The first term that is false decides, and is then the only evidence.
Truth Evaluator::conjunction(const Node& node, const Entity& subject) {
    const Mark start = mark();
    bool unknown = false;
    for (const Node& child : node.children) {
        const Mark before = mark();
        const Truth term = truth(child, subject);
        if (term == Truth::no) {
            forget(start, before);
            return Truth::no;
        }
        unknown = unknown || term == Truth::unknown;
    }
    return unknown ? Truth::unknown : Truth::yes;
}

// Every term that is true is evidence, not only the first: a finding shows all that speaks for it.
Truth Evaluator::disjunction(const Node& node, const Entity& subject) {
    const Mark start = mark();
    bool yes = false;
    bool unknown = false;
    for (const Node& child : node.children) {
        const Mark before = mark();
        const Truth term = truth(child, subject);
        if (term == Truth::yes) {
            if (!yes) forget(start, before);
            yes = true;
        } else if (yes) {
            rollback(before);
        }
        unknown = unknown || term == Truth::unknown;
    }
    if (yes) return Truth::yes;
    return unknown ? Truth::unknown : Truth::no;
}

Truth Evaluator::comparison(const Node& node, const Entity& subject) {
    const std::size_t bounds = bounds_.size();
    const Datum left = datum(node.children[0], subject);
    const Datum right = datum(node.children[1], subject);
    if (!left.known || !right.known) return Truth::unknown;
    const Truth result = compare(node, left, right, subject);
    if (result == Truth::unknown) miss_bounds(bounds);
    return result;
}

Truth Evaluator::compare(const Node& node, const Datum& left, const Datum& right, const Entity& subject) {
    const Sort sort = node.children[0].sort;
    if (sort == Sort::version) {
        const auto a = parse_version(std::get<std::string>(left.value));
        const auto b = parse_version(std::get<std::string>(right.value));
        if (a && b) return truth_of(holds(node.op, compare_versions(*a, *b)));
        const std::string& text = std::get<std::string>(a ? right.value : left.value);
        miss(subject, print(node), Gap{GapClass::error, "not a dotted version: '" + printable(text) + "'", {}});
        return Truth::unknown;
    }
    if (sort != Sort::number) return truth_of((left.value == right.value) == (node.op == Op::equal));
    const bool result = holds(node.op, compare_numbers(left.value, right.value));
    if (!left.at_least && !right.at_least) return truth_of(result);
    // The true value may be larger: the answer stands only if growing cannot change it.
    const bool upward = node.op == Op::greater || node.op == Op::greater_equal;
    const bool downward = node.op == Op::less || node.op == Op::less_equal;
    if (left.at_least && !right.at_least && ((upward && result) || (downward && !result))) return truth_of(result);
    if (right.at_least && !left.at_least && ((downward && result) || (upward && !result))) return truth_of(result);
    return Truth::unknown;
}

// A lower bound was not enough: what is said about it becomes what is missing.
void Evaluator::miss_bounds(std::size_t from) {
    for (std::size_t i = from; i < bounds_.size(); ++i) miss(bounds_[i].entity, bounds_[i].fact, bounds_[i].gap);
}

// "No" takes somebody who says so: the driver that does not offer it, the source that does not have it. What failed, hung or was
// refused may well be there, and "no" would turn a host that could not be read into a healthy one.
Truth Evaluator::known(const Node& node, const Entity& subject) {
    const Node& fact = node.children[0];
    const auto settled = [](const Gap& gap) {
        return gap.kind == GapClass::not_offered || gap.kind == GapClass::not_collected;
    };
    const Located place = locate(fact, subject);
    if (!place) {
        const Missing& hop = place.error();
        if (!settled(hop.gap)) {
            miss(hop);
            return Truth::unknown;
        }
        if (!silent_)
            evidence_.push_back(
                Evidence{hop.entity, hop.fact, "", tl::unexpected(hop.gap), "", std::nullopt, view_.last()});
        return Truth::no;
    }
    const auto [reading, at] = look_at(**place, *fact.path);
    if (!*reading && !settled(reading->error())) {
        miss(**place, fact.path->name, reading->error());
        return Truth::unknown;
    }
    const std::string_view how = *reading ? kKnown : std::string_view();
    note(**place, fact, how, *reading, fact.path->spec->unit, std::nullopt, at);
    return truth_of(reading->has_value());
}

Truth Evaluator::changed(const Node& node, const Entity& subject) {
    const Node& fact = node.children[0];
    const Located place = locate(fact, subject);
    if (!place) {
        miss(place.error());
        return Truth::unknown;
    }
    const std::chrono::nanoseconds asked = window(node.children[1]);
    const auto result = view_.changed(**place, fact.path->name, asked);
    if (!result) {
        miss(**place, fact.path->name, result.error());
        return Truth::unknown;
    }
    note(**place, fact, "changed", Value(*result), "", true_window(asked), view_.last());
    return truth_of(*result);
}

Truth Evaluator::bit(const Node& node, const Entity& subject) {
    const Datum bits = datum(node.children[0], subject);
    const Datum index = datum(node.children[1], subject);
    if (!bits.known || !index.known) return Truth::unknown;
    const auto* value = std::get_if<std::int64_t>(&bits.value);
    const auto* n = std::get_if<std::int64_t>(&index.value);
    const bool counted = n != nullptr && *n >= 0 && *n <= kMaxBit && !index.at_least;
    if (value == nullptr || bits.at_least || !counted) {
        miss(subject, print(node),
             Gap{GapClass::error, "no bit " + print(index.value) + " in " + print(bits.value), {}});
        return Truth::unknown;
    }
    return truth_of(((*value >> *n) & 1) != 0);
}

Evaluator::Located Evaluator::locate(const Node& fact, const Entity& subject) const {
    static const Entity host{Kind::host, ""};
    const FactPath& path = *fact.path;
    const Entity* at = path.from_host ? &host : &subject;
    const auto lost = [&](const FactSpec& hop, const Gap& gap) { return tl::unexpected(missing(*at, hop.name, gap)); };
    for (const FactSpec* hop : path.hops) {
        const Reading& reading = *view_.observe(*at, hop->name).reading;
        if (!reading) return lost(*hop, reading.error());
        const auto* next = std::get_if<Entity>(&*reading);
        if (next == nullptr) return lost(*hop, Gap{GapClass::error, std::string(hop->name) + ": not a reference", {}});
        if (!view_.has(*next)) {
            // Where its kind could not be enumerated, that is the reason and not its absence.
            if (const Gap* unseen = view_.kind_gap(next->kind)) return lost(*hop, *unseen);
            return lost(*hop, Gap{GapClass::not_collected,
                                  std::string(hop->name) + ": " + print(*reading) + " is not there any more",
                                  {}});
        }
        at = next;
    }
    return at;
}

const Value& value_of(const std::string& param, const Params& params, const Params& declared) {
    const Value& as_declared = declared.find(param)->second;
    const auto found = params.find(param);
    if (found == params.end()) return as_declared;
    const auto numeric = [](const Value& value) { return value.index() == 1 || value.index() == 2; };
    const bool fits = found->second.index() == as_declared.index() || (numeric(found->second) && numeric(as_declared));
    return fits ? found->second : as_declared;  // types were checked where the parameter was set
}

std::chrono::nanoseconds window_of(const Expression::Node& node, const Params& params, const Params& declared) {
    if (node.op == Op::duration) return std::chrono::nanoseconds(std::get<std::int64_t>(node.literal));
    const auto parse = [](const Value& value) {
        return parse_duration(std::get<std::string>(value)).value_or(std::chrono::nanoseconds(0));
    };
    const std::chrono::nanoseconds given = parse(value_of(node.text, params, declared));
    if (given.count() > 0 && given <= kMaxWindow) return given;
    return parse(declared.find(node.text)->second);
}

std::chrono::nanoseconds Evaluator::true_window(std::chrono::nanoseconds asked) const {
    return std::min(asked, std::chrono::nanoseconds(view_.last().boot_ns - view_.history().first().boot_ns));
}

}  // namespace rd
