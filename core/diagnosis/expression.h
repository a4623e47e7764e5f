// SPDX-License-Identifier: GPL-2.0-or-later
// Room core/diagnosis: from facts to verdicts. Pure functions of their arguments: no clock, no file, no global, no host.
//
// The expression language of rules: small, total, typed against the catalogue, three-valued (Kleene). A missing fact makes
// the truth unknown, and `false and unknown` is false.
//
//   literals     true false 42 1.5 1e-5 "text" 10s 5m 4K 2M (durations ms s m h d; sizes K M G T, powers of 1024)
//   facts        active_mtu            of the subject
//                netdev.mtu            of what the subject's reference `netdev` leads to; chains: device.pci.link_width
//                host.intent           of the host, from any scope
//   parameters   $rate                 declared by the rule, settable by a site
//   operators    or · and · not · == != < <= > >= · + - · * / (by zero: unknown) · unary -
//   functions    rate(counter, window)            per second; evidence has the true window; below 100 ms: unknown
//                increase(counter, window)
//                avg|min|max(number fact, window)
//                changed(fact, window)
//                lifetime(counter)                its present value; ratios of lifetimes only, in `suspect`
//                known(fact)                      false where it is not offered or was not collected; where reading it failed,
//                                                 timed out or was refused: unknown
//                any|all(KIND, condition)         over entities of KIND that refer to the subject (from the host scope: all of KIND)
//                count(KIND) · count(KIND, condition)
//                bit(integer, n)                  n from 0 to 62, an integer fact too; beyond: unknown
//                version(text)                    compares as a dotted version: version(firmware) < version("28.39.1002")
//
// Depth (64) and length (8,192 bytes) are bounded. Comments run from # to the end of the line.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/facts/catalog.h"
#include "core/facts/history.h"

namespace rd {

class View;

enum class Truth : std::uint8_t { no, yes, unknown };

// A position in a file: 1-based, columns in characters; 0: none.
struct Place {
    int line = 0;
    int column = 0;

    friend bool operator==(const Place&, const Place&) = default;
};

// What is wrong at a place, before it is known in which file.
struct Complaint {
    Place place;
    std::string message;
    std::string hint;
};

// A complaint about a rule or configuration file.
struct Diagnostic {
    std::string file;
    int line = 0;  // 1-based; 0: the file as a whole
    int column = 0;
    std::string message;
    std::string hint;  // "did you mean netdev.mtu?"; may be empty

    [[nodiscard]] std::string print() const;  // file:line:column: message (hint)
};

using Params = std::map<std::string, Value, std::less<>>;

// A fact that the truth depended on. `how` tells what was made of it: "" (the value itself), "rate", "increase", "lifetime",
// "min", "max", "avg", "changed", "count".
struct Evidence {
    Entity entity;
    std::string fact;
    std::string how;
    Reading reading;
    std::string unit;
    std::optional<std::chrono::nanoseconds> window;  // the true one
    Stamp at;
};

struct Missing {
    Entity entity;
    std::string fact;
    Gap gap;
};

struct Outcome {
    Truth truth = Truth::unknown;
    std::vector<Evidence> evidence;  // in order of first use, each once
    std::vector<Missing> missing;    // what kept the truth from being known; empty unless unknown
};

class Expression {
public:
    // `file`, `line`, `column`: where the text begins, so that complaints point into the rule file.
    static tl::expected<Expression, Diagnostic> compile(std::string_view text, Kind scope, const Catalog& catalog,
                                                        const Params& declared, std::string_view file, int line,
                                                        int column);

    [[nodiscard]] Outcome evaluate(const History& history, const Entity& subject, const Params& params) const;
    [[nodiscard]] Outcome evaluate(View& view, const Entity& subject, const Params& params) const;
    // The same truth, at a fraction of the cost: without what it depended on.
    [[nodiscard]] Truth truth(View& view, const Entity& subject, const Params& params) const;

    // False: never compiled. Its truth is unknown.
    explicit operator bool() const { return compiled_ != nullptr; }

    [[nodiscard]] const std::string& text() const;
    // Every fact it may read, as written ("netdev.mtu").
    [[nodiscard]] const std::vector<std::string>& facts() const;
    [[nodiscard]] const std::vector<std::string>& params() const;

    struct Node;  // the tree (node.h)
    [[nodiscard]] const Node& root() const;
    // What a node that stands for a window is worth.
    [[nodiscard]] std::chrono::nanoseconds window(const Node& node, const Params& params) const;
    // The same expression with another tree of the same types: the mutation test.
    [[nodiscard]] Expression with_root(Node root) const;

private:
    struct Compiled;
    std::shared_ptr<const Compiled> compiled_;
};

}  // namespace rd
