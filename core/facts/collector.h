// SPDX-License-Identifier: GPL-2.0-or-later
// How a subject of the host becomes facts. A collector is data, not a class: the rows it may put, and one function that says
// what there is to read. The reading itself is the sweep's: prepared handles, per-device lanes, deadlines and gaps are the same
// for all, so no collector can forget one of them.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/facts/catalog.h"
#include "core/facts/site.h"
#include "core/facts/snapshot.h"
#include "core/host/host.h"

namespace rd {

// One value from the text of one file.
using Parser = Result<Value> (*)(std::string_view text);

// Where a Decoder puts what it found in one answer. Belongs to the lane that reads; merged into the snapshot afterwards.
class Facts {
public:
    struct Put {
        Entity entity;
        const FactSpec* spec;  // nullptr: only present
        std::string name;
        Reading reading;
    };

    void present(const Entity& entity);
    void put(const Entity& entity, const FactSpec& spec, Value value);
    void put(const Entity& entity, const FactSpec& spec, std::string_view name, Value value);  // family member
    void gap(const Entity& entity, const FactSpec& spec, Gap gap);
    // A value or an Error that becomes a gap.
    void set(const Entity& entity, const FactSpec& spec, Result<Value> value);

    [[nodiscard]] std::vector<Put>& puts() { return puts_; }

private:
    std::vector<Put> puts_;
};

// Many facts from one answer. Never called for a failed read: then every fact of `covers` becomes the gap.
using Decoder = std::function<void(std::string_view text, Facts& out)>;

// Which facts an answer was to give: (entity, row) pairs that become gaps when it fails.
struct Cover {
    Entity entity;
    const FactSpec* spec;
};

using Seconds = std::chrono::seconds;

// What a collector's discover function says. Facts stated here are constant until the next discovery.
class Plan {
public:
    explicit Plan(std::string collector);

    void present(const Entity& entity);
    void put(const Entity& entity, const FactSpec& spec, Value value);
    void gap(const Entity& entity, const FactSpec& spec, Gap gap);
    void set(const Entity& entity, const FactSpec& spec, Result<Value> value);
    void kind_gap(Kind kind, Gap gap);

    // Reads that hang together share a lane, named for the device they ask ("0000:41:00.0"). A lane that is stuck delays
    // no other and is not asked again until it has come back. Default: the collector's own lane.
    void lane(std::string name);
    // How often the following reads are due (the first sweep reads all). Default: the collector's `every`.
    void every(Seconds period);
    void read(std::string name, const Entity& entity, const FactSpec& spec, Parser parser);
    void read(std::string name, const Entity& entity, const FactSpec& spec, std::string fact, Parser parser);  // family
    void decode(std::string name, std::vector<Cover> covers, Decoder decoder);
    // When the listing of this directory changes, everything is discovered again.
    void watch(std::string path);

    struct Read {
        std::string name;  // of the host: path or subject
        std::string lane;
        Seconds every;
        Entity entity;                   // with `parser`
        const FactSpec* spec = nullptr;  // with `parser`
        std::string fact;
        Parser parser = nullptr;
        std::vector<Cover> covers;  // with `decoder`
        Decoder decoder;
    };

    std::vector<Read> reads;
    std::vector<std::string> watched;
    Facts constants;
    std::vector<std::pair<Kind, Gap>> kind_gaps;
    Seconds default_every{1};

private:
    std::string lane_;
    Seconds every_{0};
};

// What writing a knob costs the host. Printed before anything is done.
enum class Cost : std::uint8_t { online, link_down, reload, reboot, firmware };
[[nodiscard]] std::string_view name_of(Cost cost);
[[nodiscard]] bool cost_from_name(std::string_view name, Cost& out);

// A fact that can be written. The writer stands under the reader, in the same file.
struct Knob {
    std::string_view fact;  // "netdev.mtu"
    Cost cost;
    Result<> (*write)(Host& host, const Snapshot& now, const Entity& entity, const Value& to);
};

// `always`: short-lived entities (processes) are looked for again whenever the collector's `every` has passed.
enum class Rediscover : std::uint8_t { on_change, always };

struct Collector {
    std::string_view name;
    std::span<const FactSpec> facts;  // all it may put; anything else is refused
    std::span<const Knob> knobs;
    Seconds every;  // default cadence of its reads
    Rediscover rediscover;
    void (*discover)(const Host& host, Plan& plan);
};

// Facts from facts (and from what the site says), where a rule would need more than one readable condition.
struct Derivation {
    std::string_view name;
    std::span<const FactSpec> facts;
    std::span<const std::string_view> reads;  // "kind.fact"; orders the derivations
    void (*derive)(const Site& site, Snapshot& snapshot);
};

// Parsers that several collectors need.
[[nodiscard]] Result<Value> as_integer(std::string_view text);
[[nodiscard]] Result<Value> as_counter(std::string_view text);
[[nodiscard]] Result<Value> as_text(std::string_view text);            // trimmed; empty is an Error "empty"
[[nodiscard]] Result<Value> as_leading_number(std::string_view text);  // real
[[nodiscard]] Result<Value> as_switch(std::string_view text);          // "0" "1" "on" "off" "Y" "N"

}  // namespace rd
