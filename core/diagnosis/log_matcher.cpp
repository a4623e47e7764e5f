// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/log_matcher.h"

#include <re2/set.h>

#include <algorithm>
#include <mutex>
#include <optional>

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
        all.push_back({rule, log, {}, ends, anywhen});
        all.back().pattern.text = pattern.text;
        all.back().pattern.engine = pattern.engine;
        if (set_->Add(pattern.text, nullptr) < 0) unreadable.push_back(rule);
    }

    // Compiled when the first line comes: most commands look at none.
    const RE2::Set* set() const {
        std::call_once(once_, [this] {
            if (!unreadable.empty() || !set_->Compile()) set_.reset();
        });
        return set_ ? &*set_ : nullptr;
    }

    // nullopt: the set does not know (it ran out of memory, or was too large to compile), so each has to be asked.
    std::optional<bool> ask(std::string_view line, std::vector<int>* which) const {
        if (all.empty()) return false;
        const RE2::Set* const patterns = set();
        if (patterns == nullptr) return std::nullopt;
        RE2::Set::ErrorInfo error{RE2::Set::kNoError};
        const bool found = patterns->Match(re2::StringPiece(line.data(), line.size()), which, &error);
        if (!found && error.kind != RE2::Set::kNoError) return std::nullopt;
        return found;
    }

private:
    mutable std::once_flag once_;
    mutable std::optional<RE2::Set> set_{std::in_place, options(), RE2::UNANCHORED};
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
    if (const auto found = patterns_->ask(line, nullptr)) return *found;
    return std::any_of(patterns_->all.begin(), patterns_->all.end(),
                       [line](const Patterns::One& one) { return one.pattern.matches(line); });
}

std::vector<LogMatcher::Hit> LogMatcher::match(std::string_view line) const {
    std::vector<int> which;
    const auto found = patterns_->ask(line, &which);
    if (found && !*found) return {};
    if (!found) {
        which.resize(patterns_->all.size());
        for (std::size_t i = 0; i < which.size(); ++i) which[i] = static_cast<int>(i);
    }
    std::sort(which.begin(), which.end());
    std::vector<Hit> hits;
    for (const int number : which) {
        const Patterns::One& one = patterns_->all[static_cast<std::size_t>(number)];
        if (auto captures = one.pattern.match(line))
            hits.push_back({one.rule, one.log, one.ends, one.anywhen, std::move(*captures)});
    }
    return hits;
}

}  // namespace rd
