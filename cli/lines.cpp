// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/lines.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/base/letters.h"
#include "core/base/log_line.h"
#include "core/base/text.h"

namespace rd::cli {
namespace {

constexpr std::size_t kMostUses = 64;
constexpr std::size_t kLongestLine = 64u << 10;  // what is behind that in one line is not looked at
constexpr std::size_t kLongestShown = 1024;
constexpr std::size_t kShortestTitle = 12;  // "success" and "error" stand in many lines

void append(Result<std::vector<Term>> found, std::vector<Term>& into) {
    if (!found) return;
    for (Term& term : *found) into.push_back(std::move(term));
}

std::vector<Term> terms_of(const std::string& name, std::string_view value) {
    std::vector<Term> found;
    const std::string text(value);
    if (name == "status") append(find_terms("wc:" + text), found);
    if (name == "vendor_err") append(find_terms("vendor:" + text), found);
    if (name == "errno") {
        const bool negative = !value.empty() && value.front() == '-';
        append(find_terms("errno:" + (negative ? text.substr(1) : text)), found);
    }
    return found;
}

// Names that can be nothing else, and titles of statuses as libibverbs prints them.
std::vector<Term> terms_in(std::string_view line) {
    std::vector<Term> found;
    for (const std::string_view name : names_in_line(line)) {
        for (const std::string_view prefix : {"IBV_WC_", "IB_WC_", "IBV_EVENT_", "IB_EVENT_"}) {
            if (name.starts_with(prefix)) append(find_terms(name), found);
        }
    }
    const std::string small = lower(line);
    for (const Term& term : completion_terms()) {
        if (term.title.size() >= kShortestTitle && small.find(lower(term.title)) != std::string::npos)
            found.push_back(term);
    }
    // A call and what it failed with.
    if (small.find("ibv_") != std::string::npos || small.find("rdma_") != std::string::npos)
        append(find_terms(line), found);
    return found;
}

}  // namespace

bool Lines::add(std::string_view line) {
    line = trim(line);
    if (line.empty()) return false;
    ++read_;
    std::vector<LineMeaning> meanings;
    for (LogMatcher::Hit& hit : book_.logs->match(line)) {
        const Rule& rule = book_.rules[hit.rule];
        const Confidence sure = rule.logs[hit.log].confidence;
        if (!meanings.empty() && meanings.back().rule == &rule) {
            meanings.back().confidence = std::max(meanings.back().confidence, sure);
        } else {
            meanings.push_back({&rule, sure, std::move(hit.captures)});
        }
    }
    const std::vector<Term> named = terms_in(line);
    if (meanings.empty() && named.empty()) return false;
    ++known_;
    const auto [place, fresh] = by_shape_.try_emplace(log_shape(line.substr(0, kLongestShown)), uses_.size());
    if (!fresh) {
        ++uses_[place->second].count;
        return true;
    }
    if (uses_.size() >= kMostUses) {
        by_shape_.erase(place);
        ++left_out_;
        return true;
    }
    std::vector<std::string> terms = note_terms(line, meanings);
    uses_.push_back({printable(line, kLongestShown), 1, std::move(meanings), std::move(terms)});
    return true;
}

std::vector<std::string> Lines::note_terms(std::string_view line, const std::vector<LineMeaning>& meanings) {
    std::vector<Term> found;
    for (const LineMeaning& meaning : meanings) {
        for (const auto& [name, value] : meaning.captures) {
            for (Term& term : terms_of(name, value)) found.push_back(std::move(term));
        }
    }
    for (Term& term : terms_in(line)) found.push_back(std::move(term));
    std::vector<std::string> names;
    for (Term& term : found) {
        if (std::find(names.begin(), names.end(), term.name) != names.end()) continue;
        names.push_back(term.name);
        const bool known = std::any_of(terms_.begin(), terms_.end(),
                                       [&](const Term& one) { return one.kind == term.kind && one.name == term.name; });
        if (!known) terms_.push_back(std::move(term));
    }
    return names;
}

Result<> read_standard_input(Lines& into) {
    std::string line;
    char block[64u << 10];
    for (;;) {
        const ssize_t got = ::read(STDIN_FILENO, block, sizeof block);
        if (got < 0) {
            if (errno == EINTR) continue;
            return tl::unexpected<Error>(error_from_errno(errno, "standard input"));
        }
        if (got == 0) break;
        for (std::string_view rest(block, static_cast<std::size_t>(got)); !rest.empty();) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            line.append(rest.substr(0, std::min(end, kLongestLine - std::min(line.size(), kLongestLine))));
            if (end == rest.size()) break;
            (void)into.add(line);
            line.clear();
            rest.remove_prefix(end + 1);
        }
    }
    (void)into.add(line);
    return {};
}

}  // namespace rd::cli
