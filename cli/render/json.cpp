// SPDX-License-Identifier: GPL-2.0-or-later
// The report as docs/schema/check.schema.json says.
#include "cli/render/json_parts.h"
#include "cli/render/report.h"

namespace rd::cli {
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

template <class Items, class Render>
Json list(const Items& items, Render render) {
    Json out = Json::array();
    for (const auto& item : items) out.push_back(render(item));
    return out;
}

Json finding_json(const Finding& finding) {
    Json out;
    out["rule"] = finding.rule;
    out["title"] = finding.title;
    out["severity"] = name_of(finding.severity);
    out["maturity"] = name_of(finding.maturity);
    out["confidence"] = name_of(finding.confidence);
    out["subject"] = subject_json(finding.subject);
    out["state"] = name_of(finding.state);
    out["since"] = json_time(finding.since);
    out["explanation"] = finding.explanation;
    out["evidence"] = list(finding.evidence, evidence_json);
    out["causes"] = list(finding.causes, [](const Cause& cause) {
        return Json{{"rule", cause.rule}, {"subject", subject_json(cause.subject)}};
    });
    out["fixes"] = list(finding.fixes, json_fix);
    out["proof"] = list(finding.proofs, json_proof);
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
    out["missing"] = list(unknown.missing, missing_json);
    return out;
}

}  // namespace

std::string render_json(const Report& report) {
    const Summary& summary = report.summary;
    Json out;
    out["schema_version"] = kSchemaVersion;
    out["tool"] = report.tool;
    out["host"] = {{"name", report.host.hostname},
                   {"kernel", report.host.kernel},
                   {"machine", report.host.machine},
                   {"hypervisor", report.host.hypervisor},
                   {"rdma_devices", report.devices_known ? Json(report.devices) : Json(nullptr)}};
    out["source"] = report.host.source;
    out["boot_id"] = report.host.boot_id;
    out["privileges"] = json_privileges(report.host);
    out["window"] = {{"from", json_time(report.from)},
                     {"to", json_time(report.to)},
                     {"seconds", json_seconds(std::chrono::nanoseconds(report.to.boot_ns - report.from.boot_ns))},
                     {"sweeps", report.sweeps}};
    out["rules"] = {{"version", report.rules_version}, {"hash", report.rules_hash}};
    out["summary"] = {{"firing", summary.firing},        {"pending", summary.pending},
                      {"suspected", summary.suspected},  {"quiet", summary.quiet},
                      {"unknown", summary.unknown},      {"not_applicable", summary.not_applicable},
                      {"needs_root", summary.needs_root}};
    out["findings"] = list(report.findings, finding_json);
    out["suspected"] = list(report.suspected, finding_json);
    out["unknown"] = list(report.unknown, unknown_json);
    return json_text(out);
}

}  // namespace rd::cli
