// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands.h"
#include "cli/embedded.h"
#include "core/base/text.h"

namespace rd::cli {

Answer run(const SchemaOptions& options, const Console&) {
    std::string known;
    for (const Schema& schema : schemas()) {
        if (schema.command == options.command) return {0, std::string(schema.text), {}};
        known += std::string(schema.command) + "\n";
    }
    if (options.command.empty()) return {0, known, {}};
    return answer_from(
        {kUsage, "no schema for '" + printable(options.command) + "'; rdmadoctor schema lists those there are"});
}

}  // namespace rd::cli
