// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstring>
#include <optional>

#include "core/base/letters.h"
#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/diagnosis/terms/term.h"

namespace rd {
namespace {

// Names stand with and without what C and the kernel put before them.
std::string_view bare(std::string_view name) {
    for (const std::string_view prefix : {"ibv_wc_", "ib_wc_", "ibv_event_", "ib_event_"}) {
        if (starts_with(name, prefix)) return name.substr(prefix.size());
    }
    return name;
}

std::vector<const std::vector<Term>*> tables() { return {&completion_terms(), &event_terms(), &errno_terms()}; }

// `text` is in small letters.
const Term* called(const std::vector<Term>& terms, std::string_view text) {
    const auto is_it = [text](const Term& term) {
        if (bare(lower(term.name)) == bare(text) || lower(term.title) == text) return true;
        return std::any_of(term.aliases.begin(), term.aliases.end(),
                           [text](const std::string& alias) { return lower(alias) == text; });
    };
    const auto found = std::find_if(terms.begin(), terms.end(), is_it);
    return found == terms.end() ? nullptr : &*found;
}

const Term* numbered(const std::vector<Term>& terms, int number) {
    const auto found =
        std::find_if(terms.begin(), terms.end(), [&](const Term& term) { return term.number == number; });
    return found == terms.end() ? nullptr : &*found;
}

std::optional<int> code_of(std::string_view text) {
    constexpr std::int64_t kMost = 0x7fffffff;
    if (starts_with(text, "0x")) {
        const auto value = parse_hex(text);
        return value && *value <= static_cast<std::uint64_t>(kMost) ? std::optional(static_cast<int>(*value))
                                                                    : std::nullopt;
    }
    const auto value = parse_integer(text);
    return value && *value >= 0 && *value <= kMost ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

Term vendor_term(int code) {
    Term term;
    term.kind = TermKind::vendor_code;
    term.name = code_text(code);
    term.number = code;
    term.title = "vendor code beside a completion status";
    term.seen_by = "Whoever got the completion; the status beside it says about whom it is evidence.";
    for (const VendorCode& known : vendor_codes()) {
        if (known.code != code) continue;
        const Term* const status = numbered(completion_terms(), known.status);
        term.codes.push_back(std::string(known.driver) + " with status " + std::to_string(known.status) + " (" +
                             (status == nullptr ? std::string() : status->title) + "): " + std::string(known.means));
    }
    if (!term.codes.empty()) {
        term.means =
            "Seen in public reports with the status below. Of another driver, or beside another status, it may mean "
            "something else: the vendors do not publish these codes.";
        term.todo = {"Explain the status (wc:N); it decides, and the code only refines it."};
    } else if (code == 0) {
        term.means = "The driver gave none. Soft-RoCE and others never do.";
        term.todo = {"Explain the status (wc:N)."};
    } else {
        term.means =
            "Vendor-private and opaque: the vendor does not publish it, and no report that we know explains it.";
        term.todo = {
            "Explain the status (wc:N), and give the code to the vendor's support together with firmware and model."};
    }
    return term;
}

tl::unexpected<Error> none(std::string_view what, std::string_view typed, const std::vector<Term>& terms) {
    std::vector<std::string> known;
    for (const Term& term : terms) known.emplace_back(bare(lower(term.name)));
    std::string hint = did_you_mean(bare(typed), std::vector<std::string_view>(known.begin(), known.end()));
    if (hint.empty()) {
        const auto [least, most] = std::minmax_element(
            terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.number < b.number; });
        hint = "there are " + std::to_string(least->number) + " to " + std::to_string(most->number);
    }
    return fail(Errc::not_found, "there is no " + std::string(what) + " '" + printable(typed) + "'", hint);
}

Result<std::vector<Term>> of_table(std::string_view what, std::string_view value, const std::vector<Term>& terms) {
    const auto number = code_of(value);
    const Term* const term = number ? numbered(terms, *number) : called(terms, value);
    if (term == nullptr) return none(what, value, terms);
    return std::vector<Term>{*term};
}

Result<std::vector<Term>> vendor(std::string_view value) {
    const auto code = code_of(value);
    const auto as_hex = parse_hex(value);
    const auto is_known = [](std::uint64_t wanted) {
        return std::any_of(vendor_codes().begin(), vendor_codes().end(), [wanted](const VendorCode& known) {
            return static_cast<std::uint64_t>(known.code) == wanted;
        });
    };
    // Many logs leave out the 0x.
    const bool hex_too = as_hex && is_known(*as_hex) && (!code || static_cast<int>(*as_hex) != *code);
    if (!code && !hex_too) {
        return fail(Errc::bad_input, "'" + printable(value) + "' is no vendor code", "write vendor:0x81 or vendor:129");
    }
    std::vector<Term> terms;
    if (hex_too) terms.push_back(vendor_term(static_cast<int>(*as_hex)));
    if (code) terms.push_back(vendor_term(*code));
    return terms;
}

Result<std::vector<Term>> syndrome(std::string_view value) {
    const auto code = code_of(value);
    const Term* const term = code ? completion_of_syndrome(*code) : nullptr;
    if (term == nullptr) {
        return fail(Errc::not_found, "there is no completion syndrome '" + printable(value) + "' of mlx5",
                    "syndromes are 0x01 to 0x22; of a firmware command that failed it is a private code of the vendor");
    }
    return std::vector<Term>{*term};
}

constexpr std::string_view kCallPrefixes[] = {"ibv_", "rdma_"};

bool is_call(std::string_view word) {
    return std::any_of(std::begin(kCallPrefixes), std::end(kCallPrefixes),
                       [word](std::string_view prefix) { return starts_with(word, prefix); });
}

bool applies(const TermCause& cause, std::string_view call) {
    return cause.calls.empty() || std::any_of(cause.calls.begin(), cause.calls.end(),
                                              [call](const std::string& start) { return starts_with(call, start); });
}

// An errno and, before or behind it, the call that gave it: "ibv_reg_mr: ENOMEM", "ibv_reg_mr() failed: Cannot allocate memory".
std::optional<Term> errno_in_context(const std::string& text) {
    std::string separated = text;
    for (char& c : separated) {
        if (c == ':' || c == '(' || c == ')' || c == ',') c = ' ';
    }
    std::string_view call;
    const Term* term = nullptr;
    for (const std::string_view word : words(separated)) {
        if (is_call(word)) {
            call = word;
        } else if (const Term* const named = called(errno_terms(), word); named != nullptr) {
            term = named;
        } else if (const auto number = word.front() == '-' ? code_of(word.substr(1)) : std::nullopt; number) {
            term = numbered(errno_terms(), *number);
        }
    }
    if (call.empty()) return std::nullopt;
    for (const Term& each : errno_terms()) {
        if (term == nullptr && text.find(lower(each.title)) != std::string::npos) term = &each;
    }
    if (term == nullptr) return std::nullopt;
    Term found = *term;
    // Those of just this call first; where none is known of it, all that there are.
    std::erase_if(found.causes, [call](const TermCause& cause) { return !applies(cause, call); });
    const bool particular = std::any_of(found.causes.begin(), found.causes.end(),
                                        [](const TermCause& cause) { return !cause.calls.empty(); });
    if (!particular) found.causes = term->causes;
    if (particular) found.name = std::string(call) + ": " + term->name;
    return found;
}

}  // namespace

std::string code_text(int code) {
    constexpr const char* kDigits = "0123456789abcdef";
    std::string out;
    for (unsigned left = static_cast<unsigned>(code); left != 0 || out.size() < 2; left /= 16) {
        out.insert(out.begin(), kDigits[left % 16]);
    }
    return "0x" + out;
}

std::string_view name_of(TermKind kind) {
    switch (kind) {
        case TermKind::completion:
            return "completion status";
        case TermKind::vendor_code:
            return "vendor code";
        case TermKind::event:
            return "asynchronous event";
        case TermKind::errno_value:
            return "errno";
    }
    return {};
}

Result<std::vector<Term>> find_terms(std::string_view typed) {
    const std::string text = lower(trim(typed));
    const std::size_t colon = text.find(':');
    const std::string_view prefix = std::string_view(text).substr(0, colon);
    if (colon != std::string::npos) {
        const std::string_view value = trim(std::string_view(text).substr(colon + 1));
        if (prefix == "wc" || prefix == "status") return of_table("completion status", value, completion_terms());
        if (prefix == "event") return of_table("event", value, event_terms());
        if (prefix == "errno") return of_table("errno", value, errno_terms());
        if (prefix == "vendor" || prefix == "vend" || prefix == "vendor_err") return vendor(value);
        if (prefix == "synd" || prefix == "syndrome") return syndrome(value);
    }
    std::vector<Term> found;
    for (const std::vector<Term>* const table : tables()) {
        if (const Term* const term = called(*table, text)) found.push_back(*term);
    }
    if (!found.empty()) return found;
    if (auto term = errno_in_context(text)) found.push_back(std::move(*term));
    return found;
}

std::vector<std::string_view> term_names() {
    std::vector<std::string_view> names;
    for (const std::vector<Term>* const table : tables()) {
        for (const Term& term : *table) {
            names.emplace_back(term.name);
            const std::size_t size = bare(lower(term.name)).size();
            if (size != term.name.size()) names.push_back(std::string_view(term.name).substr(term.name.size() - size));
        }
    }
    return names;
}

}  // namespace rd
