// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/render/page.h"
#include "cli/render/rules.h"
#include "cli/render/words.h"

namespace rd::cli {
namespace {

std::string number_text(const Term& term) {
    switch (term.kind) {
        case TermKind::completion:
            return "wc:" + std::to_string(term.number) + " · ";
        case TermKind::event:
            return "event:" + std::to_string(term.number) + " · ";
        case TermKind::errno_value:
            return "errno:" + std::to_string(term.number) + " · ";
        case TermKind::vendor_code:
            return "decimal " + std::to_string(term.number) + " · ";
    }
    return {};
}

}  // namespace

void print_term(Page& page, const TermUse& use) {
    const Term& term = use.term;
    page.line(0, {{term.name, Paint::bold}});
    page.prose(2, term.title);
    page.line(2, number_text(term) + std::string(name_of(term.kind)), Paint::dim);
    page.blank();
    page.field("means", term.means);
    page.field("seen by", term.seen_by);
    for (const std::string& code : term.codes) page.field("code", code);
    if (!term.causes.empty()) page.line(2, "causes:");
    const std::string bullet = std::string(page.bullet()) + " ";
    for (const TermCause& cause : term.causes) {
        page.prose(4, cause.what, Paint::plain, bullet);
        page.prose(6, "look at: " + cause.look, Paint::dim);
    }
    for (const std::string& step : term.todo) page.field("do", step);
    page.field("facts", joined(term.facts, ", "));
    page.field("read by", joined(use.rules, ", "));
}

}  // namespace rd::cli
