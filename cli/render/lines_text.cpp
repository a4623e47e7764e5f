// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/render/page.h"
#include "cli/render/rules.h"
#include "cli/render/words.h"

namespace rd::cli {

void print_lines(Page& page, const Explanation& explanation) {
    for (const LineUse& use : explanation.lines) {
        page.blank();
        page.prose(0,
                   use.line + (use.count > 1 ? "   (and " + counted(use.count - 1, "line", "lines") + " like it)" : ""),
                   Paint::bold);
        for (const LineMeaning& meaning : use.meanings) {
            page.prose(2, meaning.rule->title + " · " + meaning.rule->id + " · " +
                              std::string(name_of(meaning.rule->severity)) + ", confidence " +
                              std::string(name_of(meaning.confidence)));
            std::vector<std::string> parts;
            for (const auto& [name, value] : meaning.captures) parts.push_back(name + " " + value);
            if (!parts.empty()) page.prose(4, joined(parts, " · "), Paint::dim);
        }
        if (!use.terms.empty()) page.prose(2, "names " + joined(use.terms, ", "));
    }
    if (!explanation.lines_read) return;
    page.blank();
    std::string counts = counted(*explanation.lines_read, "line", "lines") + " read, " +
                         std::to_string(explanation.lines_known) + " of them known";
    if (explanation.lines_left_out != 0)
        counts += ", " + std::to_string(explanation.lines_left_out) + " of those not shown";
    page.line(0, counts, Paint::dim);
}

}  // namespace rd::cli
