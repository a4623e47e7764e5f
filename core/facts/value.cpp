// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/value.h"

#include <fmt/format.h>

#include <array>

#include "core/base/enum_names.h"

namespace rd {
namespace {

constexpr std::array<std::string_view, kKindCount> kKinds{
    "host", "device", "port", "netdev", "priority", "pci", "numa", "cpu", "irq", "nvme", "service", "process", "log"};
constexpr std::array<std::string_view, 5> kTypes{"boolean", "integer", "real", "text", "reference"};
constexpr std::array<std::string_view, 5> kGaps{"not offered", "no privilege", "error", "timed out", "not collected"};

}  // namespace

std::string_view name_of(Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }
bool kind_from_name(std::string_view name, Kind& out) { return from_name(kKinds, name, out); }

std::string_view name_of(Type type) { return kTypes[static_cast<std::size_t>(type)]; }
bool type_from_name(std::string_view name, Type& out) { return from_name(kTypes, name, out); }
Type type_of(const Value& value) { return static_cast<Type>(value.index()); }

std::string_view name_of(GapClass gap) { return kGaps[static_cast<std::size_t>(gap)]; }
bool gap_from_name(std::string_view name, GapClass& out) { return from_name(kGaps, name, out); }

std::string print(const Value& value) {
    struct Printer {
        std::string operator()(bool v) const { return v ? "true" : "false"; }
        std::string operator()(std::int64_t v) const { return std::to_string(v); }
        std::string operator()(double v) const { return fmt::format("{:.6g}", v); }
        std::string operator()(const std::string& v) const { return v; }
        std::string operator()(const Entity& v) const { return fmt::format("{}:{}", name_of(v.kind), v.id); }
    };
    return std::visit(Printer{}, value);
}

Gap gap_from(Error error) {
    GapClass kind = GapClass::error;
    switch (error.code) {
        case Errc::not_found:
        case Errc::not_supported:
            kind = GapClass::not_offered;
            break;
        case Errc::no_privilege:
            kind = GapClass::no_privilege;
            break;
        case Errc::timed_out:
            kind = GapClass::timed_out;
            break;
        case Errc::not_collected:
            kind = GapClass::not_collected;
            break;
        case Errc::bad_input:
        case Errc::limit:
        case Errc::io:
            break;
    }
    return Gap{kind, std::move(error.what), std::move(error.remedy)};
}

namespace {

// True where both are whole numbers.
bool overwrite(Reading& to, const Value& from) {
    const auto* number = std::get_if<std::int64_t>(&from);
    auto* place = number != nullptr && to ? std::get_if<std::int64_t>(&*to) : nullptr;
    if (place != nullptr) *place = *number;
    return place != nullptr;
}

}  // namespace

bool same(const Reading& a, const Reading& b) {
    if (a && b) {
        const auto *x = std::get_if<std::int64_t>(&*a), *y = std::get_if<std::int64_t>(&*b);
        if (x != nullptr && y != nullptr) return *x == *y;
    }
    return a == b;
}

void assign(Reading& to, const Reading& from) {
    if (!from || !overwrite(to, *from)) to = from;
}

void assign(Reading& to, Value&& from) {
    if (!overwrite(to, from)) to = std::move(from);
}

}  // namespace rd
