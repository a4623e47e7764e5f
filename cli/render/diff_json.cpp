// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/embedded.h"
#include "cli/render/diff.h"
#include "core/render/json_parts.h"

namespace rd::cli {
namespace {

Json host_json(const DiffHost& host) {
    Json out;
    out["name"] = host.name;
    out["hostname"] = host.identity.hostname;
    out["source"] = host.identity.source;
    out["boot_id"] = host.identity.boot_id;
    out["kernel"] = host.identity.kernel;
    out["machine"] = host.identity.machine;
    out["at"] = json_time(host.at);
    out["rdma_devices"] = host.devices ? Json(*host.devices) : Json(nullptr);
    return out;
}

Json row_json(const FactRow& row) {
    Json out;
    out["entity"] = json_entity(row.first, row.entity);
    out["fact"] = row.fact;
    out["unit"] = row.spec->unit;
    out["readings"] = Json::array();
    for (const Reading& reading : row.readings) {
        Json one = Json::object();
        put_reading(one, reading);
        out["readings"].push_back(std::move(one));
    }
    return out;
}

Json drift_json(const DiffRow& drift) {
    Json out = row_json(drift.row);
    out["usual"] = drift.row.usual ? json_value(*drift.row.usual) : Json(nullptr);
    out["outliers"] = Json::array();
    for (std::size_t i = 0; drift.row.usual && i < drift.row.readings.size(); ++i) {
        const Reading& reading = drift.row.readings[i];
        if (reading && *reading != *drift.row.usual) out["outliers"].push_back(i);
    }
    out["found_by"] = Json::array();
    for (const auto& [rule, host] : drift.found_by) out["found_by"].push_back({{"rule", rule}, {"host", host}});
    out["read_by"] = drift.read_by;
    return out;
}

Json counter_json(const CounterRow& counter) {
    Json out;
    out["entity"] = json_entity(counter.first, counter.entity);
    out["fact"] = counter.fact;
    out["unit"] = counter.spec->unit;
    out["increase"] = counter.increase.amount;
    out["window"] = json_seconds(counter.increase.window);
    out["at_least"] = counter.increase.at_least;
    out["reset"] = counter.increase.reset;
    return out;
}

}  // namespace

std::string render_diff_json(const DiffView& view) {
    Json out;
    out["schema_version"] = kSchemaVersion;
    out["tool"] = tool_name();
    out["rules"] = {{"version", view.rules_version}, {"hash", view.rules_hash}};
    out["likeness"] = view.likeness == Likeness::twins ? "twins" : "recordings";
    out["because"] = view.because;
    out["hosts"] = Json::array();
    for (const DiffHost& host : view.hosts) out["hosts"].push_back(host_json(host));
    out["drift"] = Json::array();
    for (const DiffRow& drift : view.drift) out["drift"].push_back(drift_json(drift));
    out["unpaired"] = Json::array();
    for (const Unpaired& unpaired : view.rest.unpaired) {
        out["unpaired"].push_back({{"entity", json_entity(unpaired.first, unpaired.entity)}, {"on", unpaired.on}});
    }
    out["not_compared"] = Json::array();
    for (const FactRow& row : view.rest.not_compared) out["not_compared"].push_back(row_json(row));
    out["not_enumerated"] = Json::array();
    for (const Unlisted& unlisted : view.rest.unlisted) {
        out["not_enumerated"].push_back(
            {{"host", unlisted.host}, {"kind", name_of(unlisted.kind)}, {"gap", json_gap(unlisted.gap)}});
    }
    out["equal"] = view.rest.equal;
    out["counters"] = nullptr;
    if (view.counters) {
        out["counters"] = Json::array();
        for (const CounterRow& counter : *view.counters) out["counters"].push_back(counter_json(counter));
    }
    out["no_counters"] = view.no_counters;
    return json_text(out);
}

}  // namespace rd::cli
