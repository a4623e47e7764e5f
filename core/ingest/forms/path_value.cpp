// SPDX-License-Identifier: GPL-2.0-or-later
// Files of /sys and /proc with their names: `grep . FILES`, `grep -H`, `head -v`, `tail FILES`, and what people write by hand:
//   /sys/class/net/eth2/mtu:9000    /sys/class/net/eth2/mtu: 9000    /sys/class/net/eth2/mtu = 9000
//   ==> /sys/class/net/eth2/mtu <==  and the text below it
// and the text of one file: `cat FILE`.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/ingest/words.h"

namespace rd::ingest::forms {
namespace {

struct Entry {
    std::string_view path, text;
};

bool is_host_path(std::string_view path) {
    return starts_with_any(path, {"/sys/", "/proc/", "/etc/"}) && path.size() > 6 && path.back() != '/' &&
           path.find_first_of(" \t\"'*?[]{}$") == std::string_view::npos &&
           path.find("/../") == std::string_view::npos && path.find("//") == std::string_view::npos;
}

// PCI addresses have colons too: the separator is the first colon that no name of the path goes on behind. "a/0000:41:00.0/b:1"
std::optional<Entry> entry_of(std::string_view line) {
    line = trim(line);
    // "QOS for rdma: /sys/…/traffic_class = Global tclass=160"
    constexpr std::size_t kLongestLabel = 60;
    const std::size_t label = line.find(": /sys/");
    if (label < kLongestLabel && !has(line.substr(0, label), "/") && has(line.substr(label), " = "))
        line.remove_prefix(label + 2);
    if (!starts_with_any(line, {"/sys/", "/proc/"})) return std::nullopt;
    const std::size_t slash = line.substr(0, line.find_first_of(" \t")).rfind('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const std::size_t end = line.find_first_of(": \t=", slash);
    if (end == std::string_view::npos) return std::nullopt;
    std::string_view path = line.substr(0, end), rest = trim(line.substr(end));
    if (starts_with(rest, ":") || starts_with(rest, "=")) {
        rest = trim(rest.substr(1));
    } else if (line[end] != ' ' && line[end] != '\t') {
        return std::nullopt;
    }
    if (!is_host_path(path)) return std::nullopt;
    return Entry{path, rest};
}

// "cat: /sys/…/version: No such file or directory"
struct Failure {
    std::string_view path;
    Errc code;
    std::string_view why;
};
std::optional<Failure> failure_of(std::string_view line) {
    line = trim(line);
    const std::size_t colon = line.find(": /");
    if (colon == std::string_view::npos || colon > 8) return std::nullopt;
    const std::string_view rest = line.substr(colon + 2);
    const std::size_t end = rest.rfind(": ");
    if (end == std::string_view::npos || !is_host_path(rest.substr(0, end))) return std::nullopt;
    const std::string_view why = rest.substr(end + 2);
    if (why == "No such file or directory") return Failure{rest.substr(0, end), Errc::not_found, why};
    if (why == "Permission denied" || why == "Operation not permitted") {
        return Failure{rest.substr(0, end), Errc::no_privilege, why};
    }
    if (why == "Operation not supported") return Failure{rest.substr(0, end), Errc::not_supported, why};
    return Failure{rest.substr(0, end), Errc::io, why};
}

// The words themselves may be what a rule knows.
void fail_read(const Failure& failure, std::string_view line, Answers& answers) {
    answers.failed(failure.path, failure.code, fmt::format("{}: {}", failure.path, failure.why));
    answers.log(trim(line), "shell");
}

std::string_view heading_of(std::string_view line) {
    line = trim(line);
    if (line.size() < 12 || !starts_with(line, "==> ") || line.substr(line.size() - 4) != " <==") return {};
    const std::string_view path = line.substr(4, line.size() - 8);
    return is_host_path(path) ? path : std::string_view();
}

// The driver's counters of a port are one answer: the files that were pasted are some of them.
void put(Answers& answers, const std::string& path, const std::string& text) {
    const std::string_view rest = behind(path, "/infiniband/").value_or("");
    const auto parts = split(rest, '/');
    if (parts.size() != 5 || parts[1] != "ports" || parts[3] != "hw_counters" || !is_digits(trim(text))) {
        return answers.read(path, text, Trust::verbatim);
    }
    const std::string device = answers.device(parts[0]);
    const auto number = whole_number(parts[2]).value_or(0);
    if (parts[4] == "lifespan" || answers.port(device, static_cast<int>(number)).empty()) return;
    Fields(answers, fmt::format("rdma.stat/{}/{}", device, number)).put(parts[4], trim(text));
}

// A line that is the name of a file and nothing more: its text comes below.
std::string_view path_alone(std::string_view line) {
    line = trim(line);
    if (line.ends_with(':')) line.remove_suffix(1);
    return starts_with_any(line, {"/sys/", "/proc/"}) && is_host_path(line) ? line : std::string_view();
}

// Files of sysfs and /proc/sys hold one value, with few exceptions.
bool is_one_line(std::string_view path) {
    const std::string_view file = path.substr(path.rfind('/') + 1);
    return starts_with_any(path, {"/sys/", "/proc/sys/", "/proc/irq/"}) &&
           !starts_with_any(file,
                            {"aer_", "uevent", "resource", "meminfo", "numastat", "rdma.", "cgroup", "vpd", "stat"}) &&
           !starts_with_any(path, {"/sys/kernel/debug/"});
}
bool has_many_lines(const Section& section) {
    for (auto line = section.lines.rbegin(); line != section.lines.rend(); ++line) {
        if (const std::string_view path = path_alone(*line); !path.empty()) return !is_one_line(path);
    }
    return false;
}

bool is_listing_line(std::string_view line) { return entry_of(line).has_value() || failure_of(line).has_value(); }

bool prints_listing(const Command& command) {
    if (!command.is("grep") && !command.is("egrep") && !command.is("head") && !command.is("tail") && !command.is("for"))
        return false;
    return command.text.find("/sys/") != std::string::npos || command.text.find("/proc/") != std::string::npos;
}

Fit begins_listing(std::span<const std::string_view> ahead) {
    return is_listing_line(ahead[0]) ? Fit::sure : Fit::none;
}
bool continues_listing(const Section&, const Line& line) { return is_listing_line(line.text); }

void parse_listing(const Section& section, Answers& answers) {
    std::string path, text;  // of a file of several lines: `grep .` repeats its name
    const auto store = [&] {
        if (!path.empty()) put(answers, path, text);
        path.clear();
        text.clear();
    };
    for (const std::string& line : section.lines) {
        if (const auto failure = failure_of(line)) {
            fail_read(*failure, line, answers);
            continue;
        }
        const auto entry = entry_of(line);
        if (!entry) continue;
        if (entry->path != path) {
            store();
            path = std::string(entry->path);
        }
        text.append(entry->text).append("\n");
    }
    store();
}

Fit begins_headed(std::span<const std::string_view> ahead) {
    return heading_of(ahead[0]).empty() ? Fit::none : Fit::sure;
}
bool continues_headed(const Section& section, const Line& line) {
    if (!heading_of(line.text).empty()) return true;
    // head and tail print an empty line before the next heading only.
    return !section.empty() && !line.after_blank;
}
void parse_headed(const Section& section, Answers& answers) {
    std::string path, text;
    const auto store = [&] {
        if (!path.empty() && !text.empty()) put(answers, path, text);
        text.clear();
    };
    for (const std::string& line : section.lines) {
        const std::string_view head = heading_of(line);
        if (const std::string_view heading = head.empty() ? path_alone(line) : head; !heading.empty()) {
            store();
            path = std::string(heading);
        } else if (!line.empty()) {
            text.append(line).append("\n");
        }
    }
    store();
}

// `for f in …; do echo $f; cat $f; done`
Fit begins_alone(std::span<const std::string_view> ahead) {
    if (is_listing_line(ahead[0])) return Fit::none;  // "…/mtu:9000" holds its text already
    if (path_alone(ahead[0]).empty() || ahead.size() < 2) return Fit::none;
    return path_alone(ahead[1]).empty() && !trim(ahead[1]).empty() && !is_listing_line(ahead[1]) ? Fit::sure
                                                                                                 : Fit::none;
}
bool continues_alone(const Section& section, const Line& line) {
    if (!path_alone(line.text).empty()) return true;
    if (section.empty() || line.after_blank) return false;
    // A file of sysfs has one line, with few exceptions.
    return !path_alone(section.last()).empty() || has_many_lines(section);
}

// "counters/{a,b}": what the shell makes of the first list of names. A word with anything else in braces stays, and is no path then.
std::vector<std::string> expanded(const std::string& word) {
    constexpr std::size_t kMostNames = 256;
    const std::size_t open = word.find('{'), close = word.find('}', open == std::string::npos ? 0 : open);
    if (open == std::string::npos || close == std::string::npos) return {word};
    const auto names = split(std::string_view(word).substr(open + 1, close - open - 1), ',');
    if (names.size() < 2 || names.size() > kMostNames) return {word};
    std::vector<std::string> words;
    for (const std::string_view name : names)
        words.push_back(word.substr(0, open) + std::string(name) + word.substr(close + 1));
    return words;
}

// One file, or several of one line each: more could not be told apart.
std::vector<std::string> files_of(const Command& command) {
    std::vector<std::string> files;
    for (const std::string& argument : command.arguments) {
        if (starts_with(argument, "-")) continue;
        for (std::string& file : expanded(argument)) {
            if (!is_host_path(file)) return {};
            files.push_back(std::move(file));
        }
    }
    return files;
}
bool prints_file(const Command& command) {
    return (command.is("cat") || command.is("more") || command.is("less")) && command.filters.empty() &&
           !files_of(command).empty();
}
bool continues_file(const Section& section, const Line& line) {
    if (failure_of(line.text)) return true;
    const auto files = files_of(section.command);
    if (files.empty()) return false;
    // What comes after the one line of a file is another's.
    if (section.empty() && !section.first && is_one_line(files.front())) return false;
    if (files.size() > 1 || is_one_line(files.front())) return section.lines.size() < files.size();
    return !line.after_blank;
}
void parse_file(const Section& section, Answers& answers) {
    const auto files = files_of(section.command);
    std::vector<std::string_view> text;
    std::vector<std::string_view> failed;
    for (const std::string& line : section.lines) {
        if (const auto failure = failure_of(line)) {
            fail_read(*failure, line, answers);
            failed.push_back(failure->path);
        } else {
            text.push_back(line);
        }
    }
    std::vector<std::string_view> good;
    std::copy_if(files.begin(), files.end(), std::back_inserter(good),
                 [&](std::string_view path) { return std::find(failed.begin(), failed.end(), path) == failed.end(); });
    if (good.size() > 1) {
        if (good.size() != text.size()) return;
        for (std::size_t i = 0; i < good.size(); ++i) put(answers, std::string(good[i]), std::string(text[i]));
        return;
    }
    if (good.empty() || text.empty()) return;
    std::string whole;
    for (const std::string_view line : text) whole.append(line).append("\n");
    put(answers, std::string(good.front()), whole);
}

// `grep Cpus_allowed_list /proc/PID/status`: lines of one file, which each say what they are.
std::string status_of(const Command& command) {
    if (!command.is("grep") && !command.is("egrep")) return {};
    std::string found;
    for (const std::string& argument : command.arguments) {
        const std::string_view pid = behind(argument, "/proc/").value_or("");
        if (!pid.ends_with("/status") || !is_digits(pid.substr(0, pid.size() - 7))) continue;
        if (!found.empty()) return {};  // several, and each line has the name of its file
        found = argument;
    }
    return found;
}
bool continues_status(const Section&, const Line& line) {
    const auto pair = pair_of(line.text);
    return pair && is_name(pair->key);
}
void parse_status(const Section& section, Answers& answers) {
    std::string text;
    for (const std::string& line : section.lines) text.append(line).append("\n");
    if (!text.empty()) answers.read(status_of(section.command), text);
}

// `cat /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor | sort | uniq -c`: "     64 powersave". Which CPU has which is lost, and
// no matter; a listing without uniq is counted by itself.
constexpr std::string_view kCpus = "/sys/devices/system/cpu/";
constexpr std::int64_t kMostCpus = 4096;

bool prints_governors(const Command& command) {
    return has(command.text, "/cpu/") && has(command.text, "scaling_governor") && has(command.text, "*");
}
bool is_governor(std::string_view word) {
    return is_any(word, {"performance", "powersave", "ondemand", "conservative", "schedutil", "userspace"});
}
// How many CPUs a line speaks of; 0: it is another's.
std::int64_t cpus_of(std::string_view line) {
    const auto row = words(line);
    if (row.size() == 1 && is_governor(row[0])) return 1;
    if (row.size() != 2 || !is_digits(row[0]) || !is_governor(row[1])) return 0;
    return whole_number(row[0]).value_or(0);
}
bool continues_governors(const Section&, const Line& line) { return cpus_of(line.text) > 0; }
void parse_governors(const Section& section, Answers& answers) {
    std::int64_t cpu = 0;
    for (const std::string& line : section.lines) {
        const std::int64_t count = std::min(cpus_of(line), kMostCpus - cpu);
        for (std::int64_t i = 0; i < count; ++i, ++cpu) {
            answers.read(fmt::format("{}cpu{}/cpufreq/scaling_governor", kCpus, cpu), words(line).back());
        }
    }
    if (cpu > 0) answers.read(fmt::format("{}online", kCpus), fmt::format("0-{}", cpu - 1));
}

constexpr Form kForms[] = {
    {"grep", "", [](const Command& command) { return !status_of(command).empty(); }, nullptr, continues_status,
     parse_status},
    {"governors", "", prints_governors, nullptr, continues_governors, parse_governors},
    {"path, and its text below", "", nullptr, begins_alone, continues_alone, parse_headed},
    {"path: value", "grep -H . FILE …", prints_listing, begins_listing, continues_listing, parse_listing},
    {"==> path <==", "", nullptr, begins_headed, continues_headed, parse_headed},
    {"cat", "cat FILE", prints_file, nullptr, continues_file, parse_file},
};

}  // namespace

extern const std::span<const Form> path_value;
constinit const std::span<const Form> path_value{kForms};

}  // namespace rd::ingest::forms
