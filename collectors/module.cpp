// SPDX-License-Identifier: GPL-2.0-or-later
// The pluggable module or cable of each interface: what it is, how warm, how much light on each lane, and the limits its maker set.
//
// Each look is a handful of slow reads of the module by the firmware: once a minute, in a lane of its own. The module's own alarm
// flags are not read, because reading clears them; comparing a value with its limit says the same.
#include <fmt/format.h>

#include <algorithm>

#include "collectors/common/identity.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec text_row(std::string_view name, std::string_view doc) {
    return {Kind::netdev, name, Type::text, Nature::config, "", doc};
}
constexpr FactSpec measure(std::string_view name, std::string_view unit, std::string_view doc) {
    return {Kind::netdev, name, Type::real, Nature::gauge, unit, doc};
}
constexpr FactSpec lanes(std::string_view name, std::string_view doc) {
    return {Kind::netdev, name, Type::text, Nature::gauge, "", doc};
}
constexpr FactSpec limit(std::string_view name, std::string_view unit, std::string_view doc) {
    return {Kind::netdev, name, Type::real, Nature::config, unit, doc};
}

constexpr FactSpec kFacts[] = {
    text_row("module_type", "SFP, QSFP28, QSFP-DD, OSFP …: module memory, identifier"),
    text_row("module_vendor", "Who made it: module memory"),
    text_row("module_part", "Its part number: module memory"),
    {Kind::netdev, "module_copper", Type::boolean, Nature::config, "",
     "A copper cable, which measures no light: module memory, transmitter technology"},
    {Kind::netdev, "module_lanes", Type::integer, Nature::config, "lanes", "Its lanes: module memory"},
    measure("module_temperature", "°C", "Temperature inside: module memory"),
    measure("module_voltage", "V", "Supply voltage inside: module memory"),
    measure("module_rx_power_min", "mW", "Light received on the weakest lane: module memory"),
    measure("module_rx_power_max", "mW", "Light received on the strongest lane: module memory"),
    measure("module_tx_power_min", "mW", "Light sent on the weakest lane: module memory"),
    measure("module_tx_power_max", "mW", "Light sent on the strongest lane: module memory"),
    measure("module_bias_min", "mA", "Laser current of the lane that has least: module memory"),
    measure("module_bias_max", "mA", "Laser current of the lane that has most: module memory"),
    limit("module_temperature_high_alarm", "°C", "Too hot by its maker's limits: module memory"),
    limit("module_temperature_high_warning", "°C", "Nearly too hot by its maker's limits: module memory"),
    limit("module_temperature_low_alarm", "°C", "Too cold by its maker's limits: module memory"),
    limit("module_voltage_high_alarm", "V", "Supply too high by its maker's limits: module memory"),
    limit("module_voltage_low_alarm", "V", "Supply too low by its maker's limits: module memory"),
    limit("module_rx_power_high_alarm", "mW", "Too much light received by its maker's limits: module memory"),
    limit("module_rx_power_low_alarm", "mW", "Too little light received by its maker's limits: module memory"),
    limit("module_rx_power_low_warning", "mW", "Little light received by its maker's limits: module memory"),
    limit("module_tx_power_high_alarm", "mW", "Too much light sent by its maker's limits: module memory"),
    limit("module_tx_power_low_alarm", "mW", "Too little light sent by its maker's limits: module memory"),
    limit("module_bias_high_alarm", "mA", "Too much laser current by its maker's limits: module memory"),
    limit("module_bias_low_alarm", "mA", "Too little laser current by its maker's limits: module memory"),
    lanes("module_rx_power_lanes", "Light received on each lane in mW (0.9, 1, 1.1, 1.2): module memory"),
    lanes("module_tx_power_lanes", "Light sent on each lane in mW: module memory"),
    lanes("module_bias_lanes", "Laser current of each lane in mA: module memory"),
};

Result<Value> as_real(std::string_view text) {
    auto value = as_leading_number(text);
    if (value && text.find_first_not_of("-.0123456789e+") != std::string_view::npos) {
        return fail(Errc::bad_input, "not a number: '" + printable(text) + "'");
    }
    return value;
}

constexpr Source kModule[] = {
    {"identifier", row(kFacts, Kind::netdev, "module_type"), as_label},
    {"vendor", row(kFacts, Kind::netdev, "module_vendor"), as_label},
    {"part", row(kFacts, Kind::netdev, "module_part"), as_label},
    {"copper", row(kFacts, Kind::netdev, "module_copper"), as_switch},
    {"lanes", row(kFacts, Kind::netdev, "module_lanes"), as_counter},
    {"temperature", row(kFacts, Kind::netdev, "module_temperature"), as_real},
    {"voltage", row(kFacts, Kind::netdev, "module_voltage"), as_real},
    {"temperature_high_alarm", row(kFacts, Kind::netdev, "module_temperature_high_alarm"), as_real},
    {"temperature_high_warning", row(kFacts, Kind::netdev, "module_temperature_high_warning"), as_real},
    {"temperature_low_alarm", row(kFacts, Kind::netdev, "module_temperature_low_alarm"), as_real},
    {"voltage_high_alarm", row(kFacts, Kind::netdev, "module_voltage_high_alarm"), as_real},
    {"voltage_low_alarm", row(kFacts, Kind::netdev, "module_voltage_low_alarm"), as_real},
    {"rx_power_high_alarm", row(kFacts, Kind::netdev, "module_rx_power_high_alarm"), as_real},
    {"rx_power_low_alarm", row(kFacts, Kind::netdev, "module_rx_power_low_alarm"), as_real},
    {"rx_power_low_warning", row(kFacts, Kind::netdev, "module_rx_power_low_warning"), as_real},
    {"tx_power_high_alarm", row(kFacts, Kind::netdev, "module_tx_power_high_alarm"), as_real},
    {"tx_power_low_alarm", row(kFacts, Kind::netdev, "module_tx_power_low_alarm"), as_real},
    {"bias_high_alarm", row(kFacts, Kind::netdev, "module_bias_high_alarm"), as_real},
    {"bias_low_alarm", row(kFacts, Kind::netdev, "module_bias_low_alarm"), as_real},
};

struct LaneQuantity {
    std::string_view name;
    const FactSpec& least;
    const FactSpec& most;
    const FactSpec& each;
};
constexpr LaneQuantity kLanes[] = {
    {"rx_power", row(kFacts, Kind::netdev, "module_rx_power_min"), row(kFacts, Kind::netdev, "module_rx_power_max"),
     row(kFacts, Kind::netdev, "module_rx_power_lanes")},
    {"tx_power", row(kFacts, Kind::netdev, "module_tx_power_min"), row(kFacts, Kind::netdev, "module_tx_power_max"),
     row(kFacts, Kind::netdev, "module_tx_power_lanes")},
    {"bias", row(kFacts, Kind::netdev, "module_bias_min"), row(kFacts, Kind::netdev, "module_bias_max"),
     row(kFacts, Kind::netdev, "module_bias_lanes")},
};
constexpr int kMostLanes = 16;

constexpr std::string_view kNotMeasured =
    "the module does not say: copper cables and old modules measure nothing, and some have no limits";

void put_lanes(const Answer& answer, const Entity& netdev, const LaneQuantity& quantity, Facts& out) {
    const auto gap = [&](const Gap& why) {
        for (const FactSpec* spec : {&quantity.least, &quantity.most, &quantity.each}) out.gap(netdev, *spec, why);
    };
    std::vector<double> values;
    std::string each;
    for (int lane = 1; lane <= kMostLanes; ++lane) {
        const std::string* const text = answer.get(fmt::format("{}_{}", quantity.name, lane));
        if (text == nullptr) break;
        auto value = as_real(*text);
        if (!value) {
            value.error().what =
                fmt::format("{}: {}_{}: {}", answer.subject(), quantity.name, lane, value.error().what);
            return gap(gap_from(value.error()));
        }
        values.push_back(std::get<double>(*value));
        each += (each.empty() ? "" : ", ") + *text;
    }
    if (values.empty()) {
        return gap(not_offered(fmt::format("{}: no {}_1: {}", answer.subject(), quantity.name, kNotMeasured)));
    }
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    out.put(netdev, quantity.least, *least);
    out.put(netdev, quantity.most, *most);
    out.put(netdev, quantity.each, each);
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kNet));
    const auto kept = rdma_netdevs(host);
    if (!kept) return plan.kind_gap(Kind::netdev, gap_from(kept.error()));
    for (const Netdev& netdev : *kept) {
        const std::string subject = "ethtool.module/" + netdev.name;
        std::vector<Cover> covers = covers_of(netdev.entity, kModule);
        for (const LaneQuantity& quantity : kLanes) {
            covers.push_back({netdev.entity, &quantity.least});
            covers.push_back({netdev.entity, &quantity.most});
            covers.push_back({netdev.entity, &quantity.each});
        }
        plan.lane(netdev.lane + " module");
        plan.decode(subject, covers, [=, entity = netdev.entity](std::string_view text, Facts& out) {
            const auto answer = Answer::parse(subject, text);
            if (!answer) return gap_all(covers, gap_from(answer.error()), out);
            answer->put(entity, kModule, out, kNotMeasured);
            for (const LaneQuantity& quantity : kLanes) put_lanes(*answer, entity, quantity, out);
        });
    }
}

}  // namespace

extern const Collector module;
constinit const Collector module{"module", kFacts, {}, Seconds(60), Rediscover::on_change, discover};

}  // namespace rd::collectors
