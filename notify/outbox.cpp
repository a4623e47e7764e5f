// SPDX-License-Identifier: GPL-2.0-or-later
#include "notify/outbox.h"

#include <algorithm>
#include <set>

namespace rd::notify {
namespace {

using Json = nlohmann::ordered_json;

Error bad(std::string what) { return Error{Errc::bad_input, std::move(what), {}}; }

bool all_texts(const Json& alert, const char* key) {
    const auto found = alert.find(key);
    return found != alert.end() && found->is_object() &&
           std::ranges::all_of(*found, [](const Json& value) { return value.is_string(); });
}

bool is_alert(const Json& alert) {
    return alert.is_object() && all_texts(alert, "labels") && all_texts(alert, "annotations") &&
           alert["annotations"].contains("fingerprint") && alert.contains("startsAt") &&
           alert["startsAt"].is_string() && (!alert.contains("endsAt") || alert["endsAt"].is_string());
}

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

void Outbox::end(Item& item, const std::string& at, std::int64_t now) {
    if (item.over) return;
    item.alert["endsAt"] = at;
    item.over = now;
    item.version = ++version_;
}

void Outbox::put(Json alert, const std::string& at, std::int64_t now) {
    const std::string key = text_of(alert["labels"]);
    const std::string fingerprint = alert["annotations"]["fingerprint"].get<std::string>();
    // The same alert under other labels (its severity): what stands under the old ones would stay for ever.
    for (auto& [labels, item] : items_) {
        if (item.fingerprint == fingerprint && labels != key) end(item, at, now);
    }
    if (!items_.contains(key) && items_.size() >= kMostAlerts) return;
    Item& item = items_[key];
    item.over = alert.contains("endsAt") ? std::optional(now) : std::nullopt;
    item.alert = std::move(alert);
    item.fingerprint = fingerprint;
    item.version = ++version_;
}

Result<> Outbox::take(const std::string& entry, std::string_view text, std::int64_t now) {
    Json json = Json::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("at") || !json["at"].is_string() || !json.contains("alerts") ||
        !json["alerts"].is_array() || !std::ranges::all_of(json["alerts"], is_alert)) {
        return tl::unexpected(bad("not an entry of alerts"));
    }
    const std::string at = json["at"].get<std::string>();
    if (json.contains("all") && json["all"] == true) {
        std::set<std::string> there;
        for (const Json& alert : json["alerts"]) there.insert(text_of(alert["labels"]));
        for (auto& [labels, item] : items_) {
            if (!there.contains(labels)) end(item, at, now);
        }
    }
    for (Json& alert : json["alerts"]) put(std::move(alert), at, now);
    entries_[entry] = version_;
    return {};
}

std::vector<std::string> Outbox::delivered() {
    std::uint64_t taken = 0;
    for (const Receiver& receiver : receivers_) taken = std::max(taken, receiver.taken);
    std::vector<std::string> out;
    std::erase_if(entries_, [&](const auto& entry) {
        if (entry.second > taken) return false;
        out.push_back(entry.first);
        return true;
    });
    return out;
}

std::string Outbox::standing() const {
    Json out = Json::array();
    for (const auto& [labels, item] : items_) {
        if (!item.over) out.push_back(item.alert);
    }
    return text_of(out);
}

Result<> Outbox::recall(std::string_view text, std::int64_t now) {
    Json json = Json::parse(text, nullptr, false);
    if (!json.is_array() || !std::ranges::all_of(json, is_alert)) return tl::unexpected(bad("not a list of alerts"));
    for (Json& alert : json) put(std::move(alert), "", now);
    return {};
}

std::optional<Outbox::Batch> Outbox::next(std::size_t number, std::int64_t now) {
    Receiver& receiver = receivers_.at(number);
    std::vector<const Item*> chosen;
    Batch batch;
    batch.receiver = number;
    for (const auto& [labels, item] : items_) {
        if (item.version > receiver.taken) chosen.push_back(&item);
    }
    if (!chosen.empty()) {
        std::ranges::sort(chosen, {}, &Item::version);
        chosen.resize(std::min(chosen.size(), receiver.most));
        batch.version = chosen.back()->version;
    } else if (now >= receiver.remind) {
        for (auto it = items_.upper_bound(receiver.reminded); it != items_.end() && chosen.size() < receiver.most;
             ++it) {
            if (it->second.over) continue;
            chosen.push_back(&it->second);
            batch.last = it->first;
        }
        if (chosen.empty()) proceed(receiver, batch, now);
    }
    if (chosen.empty()) return std::nullopt;
    Json body = Json::array();
    for (const Item* item : chosen) body.push_back(item->alert);
    batch.alerts = chosen.size();
    batch.body = text_of(body);
    return batch;
}

void Outbox::proceed(Receiver& receiver, const Batch& batch, std::int64_t now) const {
    if (batch.version != 0) {
        receiver.taken = batch.version;
        return;
    }
    receiver.reminded = batch.last;
    if (items_.upper_bound(batch.last) == items_.end() || batch.last.empty()) {
        receiver.reminded.clear();
        receiver.remind = now + resend_.count();
    }
}

void Outbox::tidy(std::int64_t now) {
    std::uint64_t by_all = ~std::uint64_t{0}, by_one = 0;
    for (const Receiver& receiver : receivers_) {
        by_all = std::min(by_all, receiver.taken);
        by_one = std::max(by_one, receiver.taken);
    }
    std::erase_if(items_, [&](const auto& entry) {
        const Item& item = entry.second;
        return item.over &&
               (item.version <= by_all || (item.version <= by_one && now - *item.over >= kKeepOver.count()));
    });
}

void Outbox::accepted(const Batch& batch, std::int64_t now) {
    Receiver& receiver = receivers_.at(batch.receiver);
    receiver.most = kMostAtOnce;
    proceed(receiver, batch, now);
    tidy(now);
}

bool Outbox::rejected(const Batch& batch, std::int64_t now) {
    Receiver& receiver = receivers_.at(batch.receiver);
    if (batch.alerts > 1) {
        receiver.most = 1;
        return false;
    }
    proceed(receiver, batch, now);
    tidy(now);
    return true;
}

std::int64_t Outbox::due(std::size_t receiver) const { return receivers_.at(receiver).remind; }

}  // namespace rd::notify
