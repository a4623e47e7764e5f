// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/exposition.h"

#include <fmt/format.h>

#include <cmath>

#include "core/base/escape.h"

namespace rd::daemon {
namespace {

// A label is read with every scrape; what is longer than this is prose and stands in the API.
constexpr std::size_t kLongestLabel = 200;

std::string escaped(std::string_view text, bool quotes) {
    std::string out;
    for (const char c : text) {
        if (c == '\\' || (quotes && c == '"')) out += '\\';
        out += c;
    }
    return out;
}

// Foreign text: neither a line end nor bytes that are no UTF-8 get into the exposition.
std::string label_value(std::string_view text) {
    std::size_t length = 0;
    while (length < text.size() && length < kLongestLabel) {
        length += std::max<std::size_t>(1, utf8_length(text.substr(length)));
    }
    return escaped(on_one_line(text.substr(0, length)), true);
}

std::string print(const Labels& labels) {
    std::string out;
    for (const auto& [name, value] : labels) {
        if (value.empty()) continue;
        out += fmt::format("{}{}=\"{}\"", out.empty() ? "{" : ",", name, label_value(value));
    }
    if (!out.empty()) out += '}';
    return out;
}

std::string_view suffix_of(Shape shape) {
    switch (shape) {
        case Shape::counter:
            return "_total";
        case Shape::info:
            return "_info";
        case Shape::gauge:
            break;
    }
    return "";
}

std::string_view type_of(Shape shape, Form form) {
    if (shape == Shape::info) return form == Form::open_metrics ? "info" : "gauge";
    return shape == Shape::counter ? "counter" : "gauge";
}

}  // namespace

Exposition::Family& Exposition::family(const std::string& name, Shape shape, std::string_view unit,
                                       std::string_view help) {
    Family& family = families_[name];
    if (family.help.empty()) family = {shape, std::string(unit), std::string(help), {}};
    return family;
}

void Exposition::add(Family& to, const Labels& labels, std::int64_t value) {
    to.samples.emplace(print(labels), fmt::format("{}", value));
}

void Exposition::add(Family& to, const Labels& labels, double value) {
    std::string number = fmt::format("{}", value);
    if (std::isnan(value)) number = "NaN";
    if (std::isinf(value)) number = value > 0 ? "+Inf" : "-Inf";
    to.samples.emplace(print(labels), std::move(number));
}

std::string Exposition::text(Form form) const {
    const bool open = form == Form::open_metrics;
    std::string out;
    for (const auto& [name, family] : families_) {
        if (family.samples.empty()) continue;
        const std::string_view suffix = suffix_of(family.shape);
        const std::string declared = open ? name : fmt::format("{}{}", name, suffix);
        out += fmt::format("# HELP {} {}\n", declared, escaped(on_one_line(family.help), open));
        out += fmt::format("# TYPE {} {}\n", declared, type_of(family.shape, form));
        if (open && !family.unit.empty()) out += fmt::format("# UNIT {} {}\n", declared, family.unit);
        for (const auto& [labels, value] : family.samples)
            out += fmt::format("{}{}{} {}\n", name, suffix, labels, value);
    }
    if (open) out += "# EOF\n";
    return out;
}

}  // namespace rd::daemon
