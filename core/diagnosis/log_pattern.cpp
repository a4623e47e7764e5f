// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/log_pattern.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "core/base/enum_names.h"
#include "core/base/nearest.h"
#include "core/base/text.h"

namespace rd {
namespace {

constexpr std::array<std::string_view, 3> kConfidences = {"low", "medium", "high"};
constexpr std::array<std::string_view, 9> kGroups = {"device", "netdev",     "port",  "pci", "qp",
                                                     "status", "vendor_err", "errno", "addr"};
// A pattern that needs more than this is no phrase of a log line any more.
constexpr std::int64_t kMaxMemory = 1 << 20;
constexpr std::size_t kMaxPattern = 1024;

RE2::Options options() {
    RE2::Options options(RE2::Latin1);
    options.set_log_errors(false);
    options.set_max_mem(kMaxMemory);
    options.set_dot_nl(true);  // a line has no line break, and without the exception for it automata are smaller
    return options;
}

std::string listed(std::span<const std::string_view> names) {
    std::string out;
    for (const std::string_view name : names) out += (out.empty() ? "" : " ") + std::string(name);
    return out;
}

std::size_t offset_of_group(std::string_view pattern, std::string_view name) {
    const std::size_t at = pattern.find("<" + std::string(name) + ">");
    return at == std::string_view::npos ? 0 : at + 1;
}

}  // namespace

std::string_view name_of(Confidence confidence) { return kConfidences[static_cast<std::size_t>(confidence)]; }

bool confidence_from_name(std::string_view name, Confidence& out) { return from_name(kConfidences, name, out); }

std::span<const std::string_view> log_groups() { return kGroups; }

// Shared by the copies of a pattern. Any number of threads may ask for it at once.
class LogPattern::Engine {
public:
    explicit Engine(std::string_view text) : text_(text) {}

    const RE2& get() const {
        std::call_once(once_, [this] { re2_.emplace(text_, options()); });
        return *re2_;
    }

private:
    std::string text_;
    mutable std::once_flag once_;
    mutable std::optional<RE2> re2_;
};

bool LogPattern::matches(std::string_view line) const {
    return engine != nullptr && RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), engine->get());
}

bool LogPattern::captures(std::string_view group) const {
    return engine != nullptr && engine->get().NamedCapturingGroups().contains(std::string(group));
}

std::optional<Captures> LogPattern::match(std::string_view line) const {
    if (engine == nullptr) return std::nullopt;
    const RE2& re2 = engine->get();
    std::vector<re2::StringPiece> groups(static_cast<std::size_t>(re2.NumberOfCapturingGroups()) + 1);
    const re2::StringPiece piece(line.data(), line.size());
    if (!re2.Match(piece, 0, piece.size(), RE2::UNANCHORED, groups.data(), static_cast<int>(groups.size())))
        return std::nullopt;
    Captures captures;
    for (const auto& [number, name] : re2.CapturingGroupNames()) {
        const re2::StringPiece& group = groups[static_cast<std::size_t>(number)];
        if (group.data() != nullptr) captures.emplace_back(name, std::string(group.data(), group.size()));
    }
    return captures;
}

tl::expected<LogPattern, PatternError> compile_log_pattern(std::string_view text) {
    if (trim(text).empty())
        return tl::unexpected(PatternError{0, "the pattern is empty: it would match every line", {}});
    if (text.size() > kMaxPattern)
        return tl::unexpected(PatternError{kMaxPattern, "a pattern longer than " + std::to_string(kMaxPattern), {}});
    LogPattern pattern = proven_log_pattern(text);
    const RE2& compiled = pattern.engine->get();
    if (!compiled.ok()) {
        const std::size_t at = compiled.error_arg().empty() ? std::string_view::npos : text.find(compiled.error_arg());
        return tl::unexpected(PatternError{at == std::string_view::npos ? 0 : at,
                                           "not a pattern: " + printable(compiled.error()),
                                           "RE2 syntax; a literal ( [ { . * + ? | \\ has a \\ before it"});
    }
    for (const auto& [name, number] : compiled.NamedCapturingGroups()) {
        if (std::find(kGroups.begin(), kGroups.end(), name) != kGroups.end()) continue;
        const std::string near = did_you_mean(name, kGroups);
        return tl::unexpected(PatternError{offset_of_group(text, name), "no capture '" + printable(name) + "'",
                                           near.empty() ? "one of " + listed(kGroups) : near});
    }
    if (pattern.matches(""))
        return tl::unexpected(PatternError{0, "the pattern matches the empty line, so every line", {}});
    return pattern;
}

LogPattern proven_log_pattern(std::string_view text) {
    LogPattern pattern;
    pattern.text = text;
    pattern.engine = std::make_shared<const LogPattern::Engine>(text);
    return pattern;
}

}  // namespace rd
