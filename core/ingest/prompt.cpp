// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/ingest/prompt.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace rd::ingest {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_name_char(char c) { return is_alpha(c) || is_digit(c) || c == '-' || c == '_' || c == '.'; }
bool is_mark(char c) { return c == '$' || c == '#' || c == '%' || c == '>'; }

constexpr std::size_t kLongestHost = 64;
constexpr std::size_t kLongestFolder = 100;

// Programs whose names are no words of a sentence, sorted.
constexpr std::array kPrograms{
    "apt",
    "arping",
    "awk",
    "bash",
    "bpftrace",
    "cat",
    "cd",
    "ceph",
    "chrt",
    "clush",
    "cma_roce_tos",
    "cpupower",
    "crictl",
    "curl",
    "dcb",
    "devlink",
    "df",
    "dmesg",
    "dmidecode",
    "docker",
    "dpkg",
    "du",
    "echo",
    "egrep",
    "env",
    "esxcli",
    "ethtool",
    "fi_info",
    "fi_pingpong",
    "fio",
    "flint",
    "free",
    "getconf",
    "grep",
    "hostname",
    "hostnamectl",
    "ib_read_bw",
    "ib_read_lat",
    "ib_send_bw",
    "ib_send_lat",
    "ib_write_bw",
    "ib_write_lat",
    "ibdev2netdev",
    "ibdiagnet",
    "iblinkinfo",
    "ibnetdiscover",
    "ibping",
    "ibportstate",
    "ibqueryerrors",
    "ibstat",
    "ibstatus",
    "ibswitches",
    "ibv_asyncwatch",
    "ibv_devices",
    "ibv_devinfo",
    "ibv_rc_pingpong",
    "ifconfig",
    "insmod",
    "ip",
    "iperf",
    "iperf3",
    "iptables",
    "journalctl",
    "kubectl",
    "lctl",
    "ldconfig",
    "ldd",
    "lldpcli",
    "lldptool",
    "lnetctl",
    "ls",
    "lsblk",
    "lscpu",
    "lshw",
    "lsmod",
    "lspci",
    "lstopo",
    "mlnx_perf",
    "mlnx_qos",
    "mlnx_tune",
    "mlxconfig",
    "mlxfwmanager",
    "mlxlink",
    "mlxreg",
    "mlxup",
    "modinfo",
    "modprobe",
    "mount",
    "mpiexec",
    "mpirun",
    "mst",
    "mstconfig",
    "mstflint",
    "mstlink",
    "netstat",
    "nfsstat",
    "nft",
    "nmcli",
    "nstat",
    "numactl",
    "numastat",
    "nvidia-smi",
    "nvme",
    "oc",
    "ofed_info",
    "opensm",
    "pdsh",
    "perfquery",
    "pidstat",
    "ping",
    "podman",
    "ps",
    "python",
    "python3",
    "qperf",
    "rdma",
    "rmmod",
    "rping",
    "rpm",
    "saquery",
    "scontrol",
    "sed",
    "sestatus",
    "show_counters",
    "show_drop",
    "show_gids",
    "showgids",
    "sinfo",
    "sminfo",
    "smpquery",
    "spdk_nvme_perf",
    "srun",
    "ss",
    "ssh",
    "strace",
    "sudo",
    "sysctl",
    "systemctl",
    "tail",
    "taskset",
    "tc",
    "tcpdump",
    "teamdctl",
    "tee",
    "tracepath",
    "traceroute",
    "tuna",
    "tuned-adm",
    "ucx_info",
    "ucx_perftest",
    "udevadm",
    "ulimit",
    "uname",
    "uptime",
    "vi",
    "vim",
    "vmstat",
    "vtysh",
    "yum",
    "zcat",
    "zgrep",
};
// Programs that are English words too: only with what a sentence does not have behind them, or alone.
constexpr std::array kWordPrograms{"cp",     "date",  "exec",  "export", "find",  "for",  "head", "history",
                                   "kill",   "last",  "less",  "make",   "more",  "mv",   "nice", "nohup",
                                   "python", "run",   "set",   "sleep",  "sort",  "test", "time", "timeout",
                                   "top",    "trace", "watch", "which",  "while", "who"};

bool is_word_of(std::string_view word, const auto& table) {
    return std::find(table.begin(), table.end(), word) != table.end();
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string_view first_word(std::string_view text) { return text.substr(0, text.find_first_of(" \t;|")); }

bool is_assignment(std::string_view word) {
    const std::size_t equals = word.find('=');
    return equals != std::string_view::npos && equals > 1 &&
           std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                       [](char c) { return (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; });
}

}  // namespace

bool is_surely_command(std::string_view text) {
    std::string_view word = first_word(text);
    while (is_assignment(word)) {
        text = trim(text.substr(word.size()));
        word = first_word(text);
        if (text.empty()) return true;
    }
    if (word.empty()) return false;
    if (starts_with(word, "./") || starts_with(word, "/usr/") || starts_with(word, "/opt/") ||
        starts_with(word, "/bin/") || starts_with(word, "/sbin/")) {
        return true;
    }
    const bool ends_as_label = word.back() == ':' || word.back() == ',';
    if (ends_as_label) return false;
    if (is_word_of(base_name(word), kPrograms)) return true;
    if (!is_word_of(word, kWordPrograms)) return false;
    return text == word || text.find(" -") != std::string_view::npos || text.find('/') != std::string_view::npos ||
           text.find('|') != std::string_view::npos || text.find(';') != std::string_view::npos ||
           (word == "sleep" && text.size() > 6 && is_digit(text[6]));
}

namespace {

bool may_be_command(std::string_view text) {
    if (text.empty()) return true;
    const char c = text.front();
    return is_alpha(c) || c == '/' || c == '.' || c == '~' || c == '_' || c == '(' || c == '[' || c == '\\';
}

// "[10:22:33] ", "10:22:33 ", "[2026-12-01 10:22:33] ", "(venv) "
std::string_view without_decoration(std::string_view line) {
    for (int i = 0; i < 3; ++i) {
        std::string_view rest = line;
        const bool bracketed = !rest.empty() && rest[0] == '[';
        if (bracketed) rest.remove_prefix(1);
        const std::size_t end = rest.find_first_not_of("0123456789:-.T/ ");
        if (bracketed && end != std::string_view::npos && end >= 5 && rest[end] == ']' && is_digit(rest[0])) {
            line = trim(rest.substr(end + 1));
            continue;
        }
        if (!bracketed && rest.size() > 9 && is_digit(rest[0]) && rest[2] == ':' && rest[5] == ':' && rest[8] == ' ') {
            line = trim(rest.substr(9));
            continue;
        }
        if (!rest.empty() && rest[0] == '(') {
            const std::size_t close = rest.find(')');
            if (close != std::string_view::npos && close < 30 && close + 2 < rest.size() && rest[close + 1] == ' ') {
                const std::string_view behind = trim(rest.substr(close + 1));
                if (behind.find('@') != std::string_view::npos || is_mark(behind[0]) || behind[0] == '[') {
                    line = behind;
                    continue;
                }
            }
        }
        break;
    }
    return line;
}

std::size_t name_length(std::string_view text) {
    const auto end = std::find_if_not(text.begin(), text.end(), is_name_char);
    return static_cast<std::size_t>(end - text.begin());
}

bool is_folder_char(char c) {
    return is_name_char(c) || c == '~' || c == '/' || c == '+' || c == ':' || c == '(' || c == ')';
}

// Behind a host: ":~/x$ cmd", " ~]# cmd". The position of the mark that ends the prompt; npos: none.
std::size_t mark_behind_folder(std::string_view text, bool bracketed) {
    std::size_t at = 0;
    int spaces = 0;
    for (; at < text.size() && at < kLongestFolder; ++at) {
        const char c = text[at];
        if (is_mark(c)) {
            if (at + 1 == text.size() || text[at + 1] == ' ' || text[at + 1] == '\t') return at;
            return std::string_view::npos;
        }
        if (c == ' ' && ++spaces <= 2) continue;
        if (c == ']' && bracketed) {
            bracketed = false;
            continue;
        }
        if (!is_folder_char(c)) return std::string_view::npos;
    }
    return std::string_view::npos;
}

Prompt prompt_with(std::string_view host, std::string_view rest, std::size_t mark) {
    // The domain is left out: prompts and `hostname` differ in it.
    return {std::string(host.substr(0, host.find('.'))), trim(rest.substr(mark + 1))};
}

// "user@host:~$ cmd", "[user@host ~]# cmd"
std::optional<Prompt> with_user(std::string_view line) {
    const bool bracketed = line[0] == '[';
    const std::string_view body = bracketed ? line.substr(1) : line;
    const std::size_t user = name_length(body);
    if (user == 0 || user > 40 || user + 1 >= body.size() || body[user] != '@') return std::nullopt;
    const std::string_view behind = body.substr(user + 1);
    const std::size_t host = name_length(behind);
    if (host == 0 || host > kLongestHost || host >= behind.size()) return std::nullopt;
    const std::string_view rest = behind.substr(host);
    if (rest[0] != ':' && rest[0] != ' ' && rest[0] != '~' && rest[0] != ']' && !is_mark(rest[0])) return std::nullopt;
    const std::size_t mark = mark_behind_folder(rest, bracketed);
    if (mark == std::string_view::npos) return std::nullopt;
    Prompt prompt = prompt_with(behind.substr(0, host), rest, mark);
    if (rest[mark] == '>' && !prompt.command.empty() && !may_be_command(prompt.command)) return std::nullopt;
    return prompt;
}

// "host:~$ cmd", "host:~ # cmd", "node1# cmd"
std::optional<Prompt> with_host(std::string_view line) {
    const std::size_t host = name_length(line);
    if (host == 0 || host > kLongestHost || host >= line.size() || !is_alpha(line[0])) return std::nullopt;
    const std::string_view name = line.substr(0, host), rest = line.substr(host);
    if (rest[0] == ':' && rest.size() > 2 && (rest[1] == '~' || rest[1] == '/')) {
        const std::size_t mark = mark_behind_folder(rest, false);
        if (mark == std::string_view::npos) return std::nullopt;
        Prompt prompt = prompt_with(name, rest, mark);
        if (!may_be_command(prompt.command)) return std::nullopt;
        return prompt;
    }
    if (is_mark(rest[0]) && rest.size() > 2 && rest[1] == ' ') {
        const std::string_view command = trim(rest.substr(2));
        if (!is_surely_command(command)) return std::nullopt;
        const bool is_shell = starts_with(name, "bash-") || starts_with(name, "sh-") || name == "bash" || name == "sh";
        return Prompt{is_shell ? std::string() : std::string(name.substr(0, name.find('.'))), command};
    }
    return std::nullopt;
}

std::optional<Prompt> bare(std::string_view line) {
    std::string_view rest = line;
    if (starts_with(rest, "-bash-")) rest.remove_prefix(1);
    if (starts_with(rest, "bash-") || starts_with(rest, "sh-")) {
        const std::size_t mark = name_length(rest);
        if (mark + 1 < rest.size() && is_mark(rest[mark]) && rest[mark + 1] == ' ') {
            return Prompt{{}, trim(rest.substr(mark + 2))};
        }
        return std::nullopt;
    }
    for (const std::string_view arrow : {"\xe2\x9d\xaf ", "\xe2\x9e\x9c ", "\xce\xbb ", "\xc2\xbb "}) {
        if (!starts_with(rest, arrow)) continue;
        const std::string_view behind = trim(rest.substr(arrow.size()));
        if (is_surely_command(behind)) return Prompt{{}, behind};
        const std::size_t space = behind.find(' ');  // "➜  ~ cmd"
        if (space == std::string_view::npos) return std::nullopt;
        return Prompt{{}, trim(behind.substr(space))};
    }
    if (starts_with(rest, "~")) {
        const std::size_t mark = mark_behind_folder(rest, false);
        if (mark == std::string_view::npos || mark + 1 >= rest.size()) return std::nullopt;
        return Prompt{{}, trim(rest.substr(mark + 1))};
    }
    while (starts_with(rest, "++")) rest.remove_prefix(1);
    const bool with_space = rest.size() > 2 && rest[1] == ' ';
    if (!with_space) {
        // "$ethtool -S eth0", as some sites print it
        if (rest.size() > 2 && (rest[0] == '$' || rest[0] == '#') && is_surely_command(rest.substr(1))) {
            return Prompt{{}, trim(rest.substr(1))};
        }
        return std::nullopt;
    }
    const std::string_view command = trim(rest.substr(2));
    if (rest[0] == '$') return may_be_command(command) ? std::optional(Prompt{{}, command}) : std::nullopt;
    if (rest[0] == '#' || rest[0] == '%' || rest[0] == '+' || rest[0] == '>') {
        return is_surely_command(command) ? std::optional(Prompt{{}, command}) : std::nullopt;
    }
    return std::nullopt;
}

}  // namespace

std::optional<Prompt> prompt_of(std::string_view line) {
    line = trim(line);
    if (line.empty() || line.size() > kLongestFolder + 4096) return std::nullopt;
    if (starts_with(line, "> ") && line.size() > 4 && (is_mark(line[2]) || line[2] == '[' || is_alpha(line[2]))) {
        if (auto quoted = prompt_of(line.substr(2))) return quoted;
    }
    const std::string_view body = without_decoration(line);
    if (body.empty()) return std::nullopt;
    if (auto found = with_user(body)) return found;
    if (auto found = bare(body)) return found;
    return with_host(body);
}

}  // namespace rd::ingest
