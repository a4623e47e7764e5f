// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/render/report_json.h"

#include "core/base/text.h"

namespace rd {
namespace {

Json subject_json(const Subject& subject) { return json_entity(subject.entity, subject.name); }

Json evidence_json(const NamedEvidence& item) {
    Json out;
    out["entity"] = json_entity(item.evidence.entity, item.entity_name);
    out["fact"] = item.evidence.fact;
    out["how"] = item.evidence.how;
    put_reading(out, item.evidence.reading);
    out["unit"] = item.evidence.unit;
    out["window"] = json_seconds(item.evidence.window);
    out["at"] = json_time(item.evidence.at);
    return out;
}

Json cause_json(const Cause& cause) { return {{"rule", cause.rule}, {"subject", subject_json(cause.subject)}}; }

Json rulebook_json(const Report& report) { return {{"version", report.rules_version}, {"hash", report.rules_hash}}; }

Json wall_json(const std::optional<std::int64_t>& wall_ns) { return wall_ns ? Json(rfc3339(*wall_ns)) : Json(nullptr); }

Json history_json(const Recurrence& recurrence) {
    return {{"times", recurrence.times},
            {"first", wall_json(recurrence.first_ns)},
            {"cleared", wall_json(recurrence.cleared_ns)},
            {"goes_on", recurrence.goes_on}};
}

Json event_json(const ToldEvent& event) {
    return {{"source", event.source}, {"name", event.name}, {"times", event.times}, {"last", wall_json(event.last_ns)}};
}

Json not_now_json(const NotNow& one) {
    Json out;
    out["rule"] = one.rule;
    out["title"] = one.title;
    out["severity"] = name_of(one.severity);
    out["subject"] = subject_json(one.subject);
    out["from"] = wall_json(one.from_ns);
    out["to"] = wall_json(one.to_ns);
    out["history"] = history_json(one.recurrence);
    return out;
}

Json past_json(const Past& past) {
    return {{"gap", past.gap ? json_gap(*past.gap) : Json(nullptr)},
            {"not_now", json_list(past.not_now, not_now_json)}};
}

// A finding that is taken out of its report still says which rules gave it.
Json finding_json(const Finding& finding, const Report& report) {
    Json out;
    out["rule"] = finding.rule;
    out["title"] = finding.title;
    out["severity"] = name_of(finding.severity);
    out["maturity"] = name_of(finding.maturity);
    out["rulebook"] = rulebook_json(report);
    out["confidence"] = name_of(finding.confidence);
    out["subject"] = subject_json(finding.subject);
    out["state"] = name_of(finding.state);
    out["since"] = json_time(finding.since);
    // Only whoever asked for the past has something to say of it, be it that the daemon never saw this.
    if (report.past) {
        out["history"] = finding.recurrence ? history_json(*finding.recurrence) : Json(nullptr);
        out["events"] = json_list(finding.told, event_json);
    }
    out["explanation"] = finding.explanation;
    out["evidence"] = json_list(finding.evidence, evidence_json);
    out["causes"] = json_list(finding.causes, cause_json);
    out["peer"] = finding.peer;
    out["fixes"] = json_list(finding.fixes, json_fix);
    out["proof"] = json_list(finding.proofs, json_proof);
    out["references"] = finding.references;
    return out;
}

Json missing_json(const NamedMissing& item) {
    Json out;
    out["entity"] = json_entity(item.missing.entity, item.entity_name);
    out["fact"] = item.missing.fact;
    out["class"] = json_class(item.missing.gap.kind);
    out["reason"] = item.missing.gap.reason;
    out["remedy"] = item.missing.gap.remedy;
    return out;
}

Json unknown_json(const Unknown& unknown) {
    Json out;
    out["rule"] = unknown.rule;
    out["title"] = unknown.title;
    out["severity"] = name_of(unknown.severity);
    out["subject"] = subject_json(unknown.subject);
    out["missing"] = json_list(unknown.missing, missing_json);
    return out;
}

Json verdict_json(const Conclusion& conclusion) {
    Json out;
    out["outcome"] = name_of(conclusion.kind);
    out["rule"] = conclusion.rule.empty() ? Json(nullptr) : Json(conclusion.rule);
    out["subjects"] = json_list(conclusion.subjects, subject_json);
    out["confidence"] = conclusion.confidence ? Json(name_of(*conclusion.confidence)) : Json(nullptr);
    out["explains"] = json_list(conclusion.explains, cause_json);
    out["settle"] = conclusion.settle;
    out["sentence"] = conclusion.sentence;
    return out;
}

}  // namespace

Json report_json(const Report& report) {
    const Summary& summary = report.summary;
    Json out;
    out["schema_version"] = kSchemaVersion;
    out["tool"] = report.tool;
    out["host"] = json_host(report.host);
    out["host"]["rdma_devices"] = report.devices_known ? Json(report.devices) : Json(nullptr);
    out["source"] = report.host.source;
    out["boot_id"] = report.host.boot_id;
    out["privileges"] = json_privileges(report.host);
    out["window"] = {{"from", json_time(report.from)},
                     {"to", json_time(report.to)},
                     {"seconds", json_seconds(std::chrono::nanoseconds(report.to.boot_ns - report.from.boot_ns))},
                     {"sweeps", report.sweeps}};
    out["rules"] = rulebook_json(report);
    out["summary"] = {{"firing", summary.firing},        {"pending", summary.pending},
                      {"suspected", summary.suspected},  {"quiet", summary.quiet},
                      {"unknown", summary.unknown},      {"not_applicable", summary.not_applicable},
                      {"needs_root", summary.needs_root}};
    const auto with_rulebook = [&](const Finding& finding) { return finding_json(finding, report); };
    out["findings"] = json_list(report.findings, with_rulebook);
    out["suspected"] = json_list(report.suspected, with_rulebook);
    out["unknown"] = json_list(report.unknown, unknown_json);
    out["verdict"] = verdict_json(report.conclusion);
    if (report.past) out["past"] = past_json(*report.past);
    return out;
}

}  // namespace rd
