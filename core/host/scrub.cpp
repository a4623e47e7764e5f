// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/scrub.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "core/base/letters.h"
#include "core/base/records.h"
#include "core/base/text.h"
#include "core/host/pseudonyms.h"

namespace rd {
namespace {

std::string_view leaf_of(std::string_view name) { return name.substr(name.rfind('/') + 1); }

bool ends_with_any(std::string_view name, std::initializer_list<std::string_view> ends) {
    return std::any_of(ends.begin(), ends.end(), [name](std::string_view end) { return name.ends_with(end); });
}

bool is_serial(std::string_view leaf) {
    return leaf == "serial" || leaf == "sn" || ends_with_any(leaf, {"serial_number", "_serial", "_sn", "_asset_tag"});
}

bool is_version(std::string_view leaf) {
    return leaf == "fw" || leaf == "driver" || ends_with_any(leaf, {"version", "firmware", "_ver", "_rev", "release"});
}

bool is_host_name(std::string_view leaf) { return leaf == "hostname"; }

Place place_of_file(std::string_view name) {
    const std::string_view leaf = leaf_of(name);
    Place place;
    place.versions = is_version(leaf);
    place.numbers = leaf == "resource";
    place.ids = leaf == "cmdline";
    place.masks = starts_with(name, "/proc/") && leaf == "status";
    return place;
}

Place place_of_field(std::string_view key) {
    Place place;
    place.versions = is_version(key);
    return place;
}

constexpr Place kPath{.path = true};

// The end of `word` in any case at a place of a text; else 0.
std::size_t word_end(std::string_view text, std::size_t at, std::string_view word) {
    if (text.size() - at < word.size()) return 0;
    for (std::size_t i = 0; i < word.size(); ++i) {
        if (lower(text[at + i]) != word[i]) return 0;
    }
    return at + word.size();
}

// Said without ':' or '=', it is taken for one only when it can be nothing else ("serial port ttyS0").
bool looks_like_serial(std::string_view word) {
    constexpr std::size_t kShortest = 8, kDigits = 3;
    const auto digits = std::count_if(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
    return word.size() >= kShortest && digits >= static_cast<std::ptrdiff_t>(kDigits) &&
           std::all_of(word.begin(), word.end(), is_alnum);
}

// Parts of a text that follow "Serial Number:", "serial=", "Serial#:", "SN:", "S/N=" and the like.
std::vector<std::pair<std::size_t, std::size_t>> serials_in(std::string_view text) {
    constexpr std::string_view kEnds = ",;'\"()", kMarks = ":=#";
    std::vector<std::pair<std::size_t, std::size_t>> found;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t from = lower(text[at]) == 's' ? word_end(text, at, "serial") : 0;
        const bool in_full = from != 0;
        if (!in_full && lower(text[at]) == 's' && (at == 0 || !is_alnum(text[at - 1]))) {
            from = std::max(word_end(text, at, "sn"), word_end(text, at, "s/n"));
        }
        if (from == 0) {
            ++at;
            continue;
        }
        at = from;
        if (in_full) {
            for (const std::string_view part : {" ", "_", "-", "number", "no", "."}) {
                if (const std::size_t past = word_end(text, from, part); past != 0) from = past;
            }
        }
        const std::size_t name = from;
        const auto skip = [&](std::string_view letters) {
            while (from < text.size() && letters.find(text[from]) != std::string_view::npos) ++from;
        };
        skip(" \t");
        const std::size_t mark = from;
        skip(kMarks);
        const bool marked = from != mark;
        skip(" \t");
        if (!marked && (!in_full || (from == name && text[name - 1] != ' ' && text[name - 1] != '.'))) continue;
        std::size_t to = from;
        while (to < text.size() && static_cast<unsigned char>(text[to]) > ' ' &&
               kEnds.find(text[to]) == std::string_view::npos) {
            ++to;
        }
        if (to == from || (!marked && !looks_like_serial(text.substr(from, to - from)))) continue;
        found.emplace_back(from, to - from);
        at = to;
    }
    return found;
}

// Calls `change` with key and value of every field, and gives the text with what it returns in the place of the value. What is no
// record is one field without a key.
using Change = std::function<std::string(std::string_view key, const std::string& value)>;

std::string each_field(std::string_view text, const Change& change) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        const std::string_view line = text.substr(at, end - at);
        at = end;
        const auto record = parse_record(line);
        if (!record) {
            out += change({}, std::string(line));
            continue;
        }
        Record to;
        for (const auto& [key, value] : record->fields()) to.set(key, change(key, value));
        if (to.fields() == record->fields()) {
            out += line;
            continue;
        }
        const std::string printed = to.text();
        out += line.ends_with('\n') ? std::string_view(printed) : trim(printed);
    }
    return out;
}

bool is_subject_name(std::string_view name) { return !name.empty() && name.front() != '/'; }

// What a subject is of ("dcb.pfc", "kmsg") is a word of this program, whatever the host is called.
std::string_view kind_of(std::string_view name) {
    return is_subject_name(name) ? name.substr(0, name.find('/')) : std::string_view();
}

bool has_word(std::string_view dotted, std::string_view word) {
    for (std::size_t at = 0; at <= dotted.size();) {
        const std::size_t end = std::min(dotted.find('.', at), dotted.size());
        if (dotted.substr(at, end - at) == word) return true;
        at = end + 1;
    }
    return false;
}

// Every text of the bundle, with its place.
class Learner {
public:
    explicit Learner(const Bundle& bundle) : bundle_(bundle) {}

    Pseudonyms learn() {
        if (bundle_.scrubbed) known_.keep_own_words();
        for (const Moment& moment : bundle_.moments) {
            for (const auto& [name, answer] : moment.reads) {
                path(name);
                answer ? content(name, *answer) : error(answer.error());
            }
            for (const auto& [name, target] : moment.links) {
                path(name);
                target ? known_.learn(*target, kPath) : error(target.error());
            }
            for (const auto& [name, entries] : moment.lists) {
                path(name);
                if (!entries) {
                    error(entries.error());
                    continue;
                }
                for (const std::string& entry : *entries) known_.learn(entry, kPath);
            }
        }
        known_.learn(bundle_.identity.boot_id, {});
        host_name(bundle_.identity.hostname);
        known_.number();
        return std::move(known_);
    }

private:
    void path(std::string_view name) { known_.learn(name.substr(kind_of(name).size()), kPath); }
    void error(const Error& error) {
        known_.learn(error.what, {});
        known_.learn(error.remedy, {});
    }
    void content(std::string_view name, std::string_view text) {
        if (is_subject_name(name)) {
            (void)each_field(text, [this](std::string_view key, const std::string& value) {
                field(key, value, place_of_field(key));
                return value;
            });
        } else {
            field(leaf_of(name), text, place_of_file(name));
        }
    }
    void field(std::string_view leaf, std::string_view text, Place place) {
        known_.learn(text, place);
        if (is_serial(leaf)) known_.learn_serial(text);
        if (is_host_name(leaf)) host_name(text);
        for (const auto& [from, size] : serials_in(text)) known_.learn_serial(text.substr(from, size));
    }

    // A name that the kernel uses itself ("node1", "up") cannot be replaced wherever it stands.
    void host_name(std::string_view name) {
        const std::string_view host = trim(name);
        const std::string_view label = host.substr(0, host.find('.'));
        const std::string small = lower(label);  // words are found in any case
        if (is_common(label) || is_common(small)) {
            known_.learn_common_host(host);
        } else {
            known_.learn_host(host);
        }
    }

    [[nodiscard]] bool is_common(std::string_view label) const {
        const auto is_component = [label](std::string_view path) {
            for (std::size_t at = path.find(label); at != std::string_view::npos; at = path.find(label, at + 1)) {
                const std::size_t end = at + label.size();
                if ((at == 0 || path[at - 1] == '/') && (end == path.size() || path[end] == '/')) return true;
            }
            return false;
        };
        if (label.size() < 2) return true;
        if (!std::all_of(label.begin(), label.end(), is_alnum)) return false;
        for (const Moment& moment : bundle_.moments) {
            for (const auto& [name, answer] : moment.reads) {
                if (is_component(name) || has_word(kind_of(name), label)) return true;
                if (answer && is_value(label, name, *answer)) return true;
            }
            for (const auto& [name, entries] : moment.lists) {
                if (is_component(name)) return true;
            }
            for (const auto& [name, target] : moment.links) {
                if (is_component(name) || (target && is_component(*target))) return true;
            }
        }
        return false;
    }

    [[nodiscard]] static bool is_value(std::string_view label, std::string_view name, std::string_view text) {
        if (!is_subject_name(name)) return !is_host_name(leaf_of(name)) && trim(text) == label;
        bool found = false;
        if (text.find(label) == std::string_view::npos) return found;
        (void)each_field(text, [&](std::string_view key, const std::string& value) {
            found = found || key == label || value == label;
            return value;
        });
        return found;
    }

    const Bundle& bundle_;
    Pseudonyms known_;
};

class Replacer {
public:
    explicit Replacer(const Pseudonyms& known) : known_(known) {}

    Moment moment(Moment old) const {
        Moment moment;
        moment.stamp = old.stamp;
        for (auto& [name, answer] : old.reads) {
            moment.reads.insert_or_assign(path(name), answer ? content(name, *answer) : error(answer.error()));
        }
        for (auto& [name, target] : old.links) {
            moment.links.insert_or_assign(
                path(name), target ? Result<std::string>(known_.replace(*target, kPath)) : error(target.error()));
        }
        for (auto& [name, entries] : old.lists) {
            Result<std::vector<std::string>> to;
            if (entries) {
                for (const std::string& entry : *entries) to->push_back(known_.replace(entry, kPath));
                std::sort(to->begin(), to->end());
            } else {
                to = error(entries.error());
            }
            moment.lists.insert_or_assign(path(name), std::move(to));
        }
        return moment;
    }

private:
    [[nodiscard]] std::string path(std::string_view name) const {
        const std::string_view kind = kind_of(name);
        return std::string(kind) + known_.replace(name.substr(kind.size()), kPath);
    }
    [[nodiscard]] tl::unexpected<Error> error(const Error& old) const {
        return fail(old.code, known_.replace(old.what, {}), known_.replace(old.remedy, {}));
    }
    [[nodiscard]] Result<std::string> content(std::string_view name, std::string_view text) const {
        std::string to = is_subject_name(name) ? each_field(text,
                                                            [this](std::string_view key, const std::string& value) {
                                                                return field(key, value, place_of_field(key));
                                                            })
                                               : field(leaf_of(name), text, place_of_file(name));
        if (to.size() > kMaxAnswer) return fail(Errc::limit, path(name) + ": is larger than 8 MiB when it is scrubbed");
        return to;
    }
    [[nodiscard]] std::string field(std::string_view leaf, std::string_view text, Place place) const {
        if (is_serial(leaf) || is_host_name(leaf)) return known_.replace_whole(text);
        // The first word that a driver writes here is the name of the host.
        if (leaf == "node_desc") {
            const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
            return known_.replace_whole(text.substr(0, end)) + known_.replace(text.substr(end), place);
        }
        std::string out;
        std::size_t at = 0;
        for (const auto& [from, size] : serials_in(text)) {
            out += known_.replace(text.substr(at, from - at), place);
            out += known_.replace_whole(text.substr(from, size));
            at = from + size;
        }
        return at == 0 ? known_.replace(text, place) : out + known_.replace(text.substr(at), place);
    }

    const Pseudonyms& known_;
};

}  // namespace

Bundle scrub(Bundle bundle) {
    const Pseudonyms known = Learner(bundle).learn();
    const Replacer replacer(known);
    for (Moment& moment : bundle.moments) moment = replacer.moment(std::move(moment));
    bundle.identity.hostname = known.replace_whole(bundle.identity.hostname);
    bundle.identity.kernel = known.replace(bundle.identity.kernel, {.versions = true});
    bundle.identity.boot_id = known.replace(bundle.identity.boot_id, {});
    bundle.scrubbed = true;
    return bundle;
}

}  // namespace rd
