// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/log_matcher.h"

#include <re2/set.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "core/diagnosis/log_literal.h"
#include "core/diagnosis/rule.h"

namespace rd {
namespace {

// For the automaton that all patterns share, made state by state while lines are read. When it is full it begins anew.
constexpr std::int64_t kMaxMemory = 32 << 20;

RE2::Options options() {
    RE2::Options options(RE2::Latin1);
    options.set_log_errors(false);
    options.set_max_mem(kMaxMemory);
    options.set_dot_nl(true);  // as each pattern by itself
    return options;
}

// With more candidates than this, to ask all patterns at once costs less than to ask each, however many there are.
constexpr std::size_t kMaxCandidates = 16;

// Patterns that are asked together. Any number of threads may ask.
class TogetherSet {
public:
    // False: it is no pattern.
    bool add(std::string_view text, std::size_t number) {
        if (set_->Add(re2::StringPiece(text.data(), text.size()), nullptr) < 0) return sound_ = false;
        numbers_.push_back(static_cast<int>(number));
        return true;
    }

    // Adds the numbers of those that match. False: the set does not know (it ran out of memory, was too large to compile, or has
    // what is no pattern), so each has to be asked.
    bool ask(std::string_view line, std::vector<int>& which) const {
        // Compiled when the first line comes: most commands look at none.
        std::call_once(once_, [this] {
            if (!sound_ || !set_->Compile()) set_.reset();
        });
        if (!set_) return false;
        RE2::Set::ErrorInfo error{RE2::Set::kNoError};
        std::vector<int> places;
        if (!set_->Match(re2::StringPiece(line.data(), line.size()), &places, &error) &&
            error.kind != RE2::Set::kNoError)
            return false;
        for (const int place : places) which.push_back(numbers_[static_cast<std::size_t>(place)]);
        return true;
    }

private:
    std::vector<int> numbers_;
    bool sound_ = true;
    mutable std::once_flag once_;
    mutable std::optional<RE2::Set> set_{std::in_place, options(), RE2::UNANCHORED};
};

}  // namespace

struct LogMatcher::Patterns {
    struct One {
        std::size_t rule, log;
        LogPattern pattern;
        bool ends = false, anywhen = false;
    };
    std::vector<One> all;
    std::vector<std::size_t> unreadable;

    void add(std::size_t rule, std::size_t log, const LogPattern& pattern, bool ends, bool anywhen) {
        const std::size_t number = all.size();
        all.push_back({rule, log, {}, ends, anywhen});
        all.back().pattern.text = pattern.text;
        all.back().pattern.engine = pattern.engine;
        if (!every_.add(pattern.text, number)) unreadable.push_back(rule);
        auto literals = required_literals(pattern.text);
        if (literals.empty()) without_literal_.add(pattern.text, number);
        for (std::string& literal : literals) literals_.add(std::move(literal), static_cast<int>(number));
    }

    // In ascending order, those that may match: each of the others does not.
    std::vector<int> candidates(std::string_view line) const {
        if (all.empty()) return {};
        std::vector<int> which = literals_.in(line, kMaxCandidates);
        if (which.size() <= kMaxCandidates && without_literal_.ask(line, which)) {
            std::sort(which.begin(), which.end());
            return which;
        }
        which.clear();
        if (!every_.ask(line, which)) {
            which.resize(all.size());
            std::iota(which.begin(), which.end(), 0);
        }
        std::sort(which.begin(), which.end());
        return which;
    }

private:
    TogetherSet every_, without_literal_;
    LiteralIndex literals_;
};

LogMatcher::LogMatcher(const std::vector<Rule>& rules) : patterns_(std::make_unique<Patterns>()) {
    for (std::size_t rule = 0; rule < rules.size(); ++rule) {
        if (!rules[rule].enabled) continue;
        for (std::size_t log = 0; log < rules[rule].logs.size(); ++log) {
            const LogPattern& pattern = rules[rule].logs[log];
            patterns_->add(rule, log, pattern, false, false);
            if (pattern.ended_by) patterns_->add(rule, log, *pattern.ended_by, true, false);
            if (pattern.unless) patterns_->add(rule, log, *pattern.unless, true, true);
        }
    }
}

LogMatcher::~LogMatcher() = default;
LogMatcher::LogMatcher(LogMatcher&&) noexcept = default;
LogMatcher& LogMatcher::operator=(LogMatcher&&) noexcept = default;

bool LogMatcher::empty() const { return patterns_->all.empty(); }

const std::vector<std::size_t>& LogMatcher::unreadable() const { return patterns_->unreadable; }

bool LogMatcher::matches(std::string_view line) const {
    const std::vector<int> candidates = patterns_->candidates(line);
    return std::any_of(candidates.begin(), candidates.end(), [&](int number) {
        return patterns_->all[static_cast<std::size_t>(number)].pattern.matches(line);
    });
}

std::vector<LogMatcher::Hit> LogMatcher::match(std::string_view line) const {
    std::vector<Hit> hits;
    for (const int number : patterns_->candidates(line)) {
        const Patterns::One& one = patterns_->all[static_cast<std::size_t>(number)];
        if (auto captures = one.pattern.match(line))
            hits.push_back({one.rule, one.log, one.ends, one.anywhen, std::move(*captures)});
    }
    return hits;
}

}  // namespace rd
