// SPDX-License-Identifier: GPL-2.0-or-later
// The report as docs/schema/check.schema.json says, and what of a text it was made of.
#include "cli/render/report.h"
#include "core/render/report_json.h"

namespace rd::cli {
namespace {

Json recognised_json(const ingest::Recognised& one) {
    return {{"form", one.form}, {"file", one.file}, {"line", one.line}, {"lines", one.lines}};
}

Json unrecognised_json(const ingest::Unrecognised& one) {
    return {{"file", one.file}, {"line", one.line}, {"lines", one.lines}, {"words", one.words}};
}

Json ingest_json(const Origin& origin) {
    Json notes = origin.host.notes;
    for (const std::string& note : origin.whole.notes) notes.push_back(note);
    return {{"recognised", json_list(origin.host.recognised, recognised_json)},
            {"kernel_log_lines", origin.host.kernel_lines},
            {"application_log_lines", origin.host.log_lines},
            {"interval_assumed", origin.host.interval_assumed},
            {"lines", origin.whole.lines},
            {"unrecognised_lines", origin.whole.unrecognised_lines},
            {"unrecognised", json_list(origin.whole.unrecognised, unrecognised_json)},
            {"notes", notes}};
}

Json with_origin(const Report& report, const Origin* origin) {
    Json out = report_json(report);
    if (origin != nullptr) {
        if (!origin->host.uid_known) out["privileges"]["uid"] = nullptr;
        out["ingest"] = ingest_json(*origin);
    }
    return out;
}

}  // namespace

std::string render_json(const Report& report, const Origin* origin) { return json_text(with_origin(report, origin)); }

std::string render_json(const std::vector<JsonHost>& hosts) {
    Json out;
    out["schema_version"] = kSchemaVersion;
    out["tool"] = hosts.front().report->tool;
    out["source"] = hosts.front().report->host.source;
    out["hosts"] = json_list(hosts, [](const JsonHost& one) { return with_origin(*one.report, one.origin); });
    return json_text(out);
}

}  // namespace rd::cli
