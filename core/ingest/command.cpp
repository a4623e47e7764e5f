// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/ingest/command.h"

#include <algorithm>
#include <array>

#include "core/ingest/loop.h"

namespace rd::ingest {
namespace {

constexpr std::size_t kLongest = 8192;  // a longer line is no command that somebody typed
constexpr std::size_t kMostCommands = 64;
constexpr int kMostWrappers = 8;

struct Word {
    std::string text;
    bool separator = false;  // | ; & && || > < and the line end, unquoted
};

bool is_separator(char c) { return c == '|' || c == ';' || c == '&' || c == '>' || c == '<' || c == '\n'; }
bool is_white(char c) { return c == ' ' || c == '\t'; }

// Words and separators; quotes taken off, $(…) and {…} left as they are.
std::vector<Word> split_words(std::string_view text) {
    std::vector<Word> out;
    std::string word;
    bool in_word = false;
    const auto store = [&] {
        if (in_word) out.push_back({word, false});
        word.clear();
        in_word = false;
    };
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quote != 0) {
            if (c == quote) {
                quote = 0;
            } else {
                word += c;
            }
            continue;
        }
        if (c == '\'' || c == '"') {
            quote = c;
            in_word = true;
        } else if (c == '\\' && i + 1 < text.size()) {
            word += text[++i];
            in_word = true;
        } else if (is_white(c)) {
            store();
        } else if (c == '#' && !in_word) {
            break;  // a comment
        } else if (is_separator(c)) {
            // "2>&1" and "2>/dev/null": the number belongs to the sign.
            if ((c == '>' || c == '<') && (word == "1" || word == "2")) {
                word.clear();
                in_word = false;
            }
            store();
            std::string sign(1, c);
            while (i + 1 < text.size() && is_separator(text[i + 1]) && sign.size() < 2) sign += text[++i];
            out.push_back({sign, true});
        } else {
            word += c;
            in_word = true;
        }
    }
    store();
    return out;
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool is_assignment(std::string_view word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos || equals == 0) return false;
    return std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
}

// What stands before another command, and how many words of its own it takes besides options.
struct Wrapper {
    std::string_view program;
    int operands;               // words before the command
    std::string_view valued{};  // one-letter options whose value is the next word
};
constexpr std::array<Wrapper, 26> kWrappers{{
    {"sudo", 0, "ugCpT"},
    {"doas", 0, "u"},
    {"time", 0, "of"},
    {"watch", 0, "n"},
    {"timeout", 1, "ks"},
    {"nice", 0, "n"},
    {"ionice", 0, "cn"},
    {"taskset", 1, ""},
    {"numactl", 0, "NmCip"},
    {"env", 0, "u"},
    {"nohup", 0},
    {"stdbuf", 0, "oei"},
    {"chrt", 1, ""},
    {"exec", 0},
    {"command", 0},
    {"unbuffer", 0},
    {"then", 0},
    {"do", 0},
    {"else", 0},
    {"if", 0},
    {"while", 0},
    {"!", 0},
    {"setsid", 0},
    {"strace", 0, "epo"},
    {"nsenter", 0, "tnm"},
    {"ltrace", 0, "eo"},
}};
constexpr std::array<std::string_view, 6> kManyHosts{"pdsh", "clush", "dsh", "pssh", "parallel-ssh", "xdsh"};
constexpr std::array<std::string_view, 6> kClosings{"done", "fi", "}", "esac", "{", "for"};

using Words = std::vector<std::string>;

// Drops the wrapper's options from `words`, which begin behind its name.
void drop_options(Words& words, std::string_view valued) {
    while (!words.empty() && words.front().size() > 1 && words.front()[0] == '-') {
        const std::string option = words.front();
        words.erase(words.begin());
        if (option == "--") return;
        const bool takes_value = option.size() == 2 && valued.find(option[1]) != std::string_view::npos;
        if (takes_value && !words.empty()) words.erase(words.begin());
    }
}

void drop_front(Words& words, std::size_t count) {
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(std::min(count, words.size())));
}

void drop_through(Words& words, std::string_view mark) {
    const auto found = std::find(words.begin(), words.end(), mark);
    words.erase(words.begin(), found == words.end() ? words.end() : found + 1);
}

// A remote command is one word when it was quoted.
Words reparsed(const Words& words) {
    std::string joined;
    for (const std::string& word : words) joined += (joined.empty() ? "" : " ") + word;
    Words out;
    for (Word& word : split_words(joined)) {
        if (word.separator) break;
        out.push_back(std::move(word.text));
    }
    return out;
}

class Reader {
public:
    explicit Reader(CommandLine& out) : out_(out) {}

    void take(Words words, std::string_view text, std::vector<std::string> filters) {
        unwrap(words);
        if (words.empty() || out_.commands.size() >= kMostCommands) return;
        if (std::find(kClosings.begin(), kClosings.end(), words.front()) != kClosings.end()) return;
        if (base_name(words.front()) == "sleep") {
            out_.slept_s += words.size() > 1 ? leading_number(words[1]).value_or(0) : 0;
            return;
        }
        Command command;
        command.text = std::string(trim(text));
        command.program = std::string(base_name(words.front()));
        command.arguments.assign(words.begin() + 1, words.end());
        command.filters = std::move(filters);
        if (!command.program.empty()) out_.commands.push_back(std::move(command));
    }

private:
    void unwrap(Words& words) {
        for (int depth = 0; depth < kMostWrappers && !words.empty(); ++depth) {
            while (!words.empty() && is_assignment(words.front())) words.erase(words.begin());
            if (words.empty() || !unwrap_one(words)) return;
        }
    }

    bool unwrap_one(Words& words) {
        const std::string program(base_name(words.front()));
        if (program == "ssh") return unwrap_ssh(words);
        if (program == "kubectl" || program == "oc") {
            if (std::find(words.begin(), words.end(), "exec") == words.end()) return false;
            drop_through(words, "--");
            return true;
        }
        if (program == "docker" || program == "podman" || program == "crictl") {
            if (words.size() < 4 || words[1] != "exec") return false;
            drop_front(words, 2);
            drop_options(words, "ueW");
            drop_front(words, 1);
            return true;
        }
        if (program == "ip" && words.size() > 4 && words[1] == "netns" && words[2] == "exec") {
            drop_front(words, 4);
            return true;
        }
        if (std::find(kManyHosts.begin(), kManyHosts.end(), program) != kManyHosts.end()) {
            out_.many_hosts = true;
            drop_front(words, 1);
            drop_options(words, "wgxfuthlHA");
            words = reparsed(words);
            return true;
        }
        if (program == "bash" || program == "sh") {
            const bool inline_script = words.size() > 2 && words[1].size() > 1 && words[1][0] == '-' &&
                                       words[1].find('c') != std::string::npos;
            if (!inline_script) return false;
            drop_front(words, 2);
            words = reparsed(words);
            return true;
        }
        const auto* const wrapper = std::find_if(kWrappers.begin(), kWrappers.end(),
                                                 [&](const Wrapper& each) { return each.program == program; });
        if (wrapper == kWrappers.end()) return false;
        // "numactl -H" and "time" alone are commands of their own.
        Words rest(words.begin() + 1, words.end());
        drop_options(rest, wrapper->valued);
        drop_front(rest, static_cast<std::size_t>(wrapper->operands));
        if (rest.empty()) return false;
        words = rest.size() == 1 ? reparsed(rest) : std::move(rest);
        return true;
    }

    bool unwrap_ssh(Words& words) {
        Words rest(words.begin() + 1, words.end());
        drop_options(rest, "pilFJoLRDEcbmSWw");
        if (rest.empty()) return false;
        const std::string_view target = rest.front();
        const std::size_t at = target.rfind('@');
        out_.host = std::string(at == std::string_view::npos ? target : target.substr(at + 1));
        drop_front(rest, 1);
        words = reparsed(rest);
        return true;
    }

    CommandLine& out_;
};

}  // namespace

bool Command::has(std::string_view argument) const {
    return std::find(arguments.begin(), arguments.end(), argument) != arguments.end();
}

bool Command::has_option(char letter) const {
    return std::any_of(arguments.begin(), arguments.end(), [letter](const std::string& each) {
        return each.size() > 1 && each[0] == '-' && each[1] != '-' && each.find(letter, 1) != std::string::npos;
    });
}

std::string_view Command::operand(std::size_t n) const {
    for (const std::string& each : arguments) {
        if (each.empty() || each[0] == '-') continue;
        if (n-- == 0) return each;
    }
    return {};
}

std::string_view Command::after(std::string_view option) const {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view each = arguments[i];
        if (each == option) return i + 1 < arguments.size() ? std::string_view(arguments[i + 1]) : std::string_view();
        if (starts_with(each, option) && each.size() > option.size() && each[option.size()] == '=') {
            return each.substr(option.size() + 1);
        }
        // "-dmlx5_0"
        const bool letter = option.size() == 2 && option[0] == '-' && option[1] != '-';
        if (letter && starts_with(each, option)) return each.substr(2);
    }
    return {};
}

bool prints_kernel_log(const Command& command) {
    return command.is("dmesg") || (command.is("journalctl") && (command.has_option('k') || command.has("--dmesg")));
}

bool prints_log(const Command& command) {
    if (prints_kernel_log(command) || command.is("journalctl") || command.is("zgrep")) return true;
    if ((command.is("kubectl") || command.is("oc") || command.is("docker") || command.is("podman")) &&
        command.has("logs"))
        return true;
    const bool shows_file = command.is("cat") || command.is("tail") || command.is("head") || command.is("grep") ||
                            command.is("egrep") || command.is("less") || command.is("zcat");
    return shows_file &&
           (command.text.find("/log") != std::string::npos || command.text.find(".log") != std::string::npos ||
            command.text.find("messages") != std::string::npos || command.text.find("syslog") != std::string::npos);
}

CommandLine parse_command_line(std::string_view text) {
    CommandLine out;
    text = trim(text.substr(0, kLongest));
    Reader reader(out);
    Words first, member;
    std::vector<std::string> filters;
    bool piped = false, redirected = false;
    const auto end_member = [&] {
        if (piped && !member.empty()) {
            std::string filter;
            for (const std::string& word : member) filter += (filter.empty() ? "" : " ") + word;
            filters.push_back(std::move(filter));
        } else if (!piped) {
            first = member;
        }
        member.clear();
    };
    const auto end_command = [&] {
        end_member();
        if (!first.empty()) reader.take(std::move(first), text, std::move(filters));
        first.clear();
        filters.clear();
        piped = redirected = false;
    };
    for (Word& word : split_words(unrolled(text))) {
        if (!word.separator) {
            if (redirected) {
                redirected = false;  // the name of the file
            } else {
                member.push_back(std::move(word.text));
            }
            continue;
        }
        if (word.text == "|" || word.text == "|&") {
            end_member();
            piped = true;
        } else if (word.text[0] == '>' || word.text[0] == '<') {
            redirected = true;
        } else {
            end_command();
        }
    }
    end_command();
    return out;
}

}  // namespace rd::ingest
