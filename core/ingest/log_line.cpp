// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/ingest/log_line.h"

#include <algorithm>
#include <array>

#include "core/base/letters.h"
#include "core/base/log_line.h"
#include "core/base/text.h"
#include "core/ingest/dates.h"

namespace rd::ingest {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

constexpr std::array<std::string_view, 8> kLevels{"emerg", "alert", "crit", "err", "warn", "notice", "info", "debug"};

// Beginnings of messages that only the kernel writes.
constexpr std::array kKernelStarts{
    "infiniband ",
    "pcieport ",
    "DMAR: ",
    "DMAR-IR: ",
    "AMD-Vi: ",
    "NETDEV WATCHDOG: ",
    "nvme nvme",
    "nvmet: ",
    "nvmet_rdma: ",
    "rpcrdma: ",
    "svcrdma: ",
    "xprtrdma: ",
    "ib_srpt",
    "ib_srp",
    "ib_isert",
    "ib_iser",
    "iser: ",
    "isert: ",
    "mlx5_core",
    "mlx5_ib",
    "mlx4_core",
    "mlx4_ib",
    "mlx4_en",
    "bnxt_en",
    "bnxt_re",
    "irdma",
    "rdma_rxe",
    "rxe_",
    "siw: ",
    "arm-smmu",
    "EDAC ",
    "mce: ",
    "Out of memory: ",
    "oom-kill",
    "hfi1 ",
    "qedr ",
    "efa ",
    "hns3 ",
    "hns_roce",
    "cxgb4 ",
    "iw_cxgb4",
    "ib_core",
    "ib_ipoib",
    "IPv6: ADDRCONF",
    "nvidia-peermem",
    "nvidia_peermem",
    "NVRM: ",
    "LustreError: ",
    "Lustre: ",
    "LNet: ",
    "LNetError: ",
    "watchdog: BUG",
    "rcu: INFO",
    "INFO: task ",
    "blk_update_request",
    "Buffer I/O error",
    "bonding: ",
    "smc: ",
    "RPC: ",
    "nfs: server ",
    "pcieport:",
    "ACPI: ",
    "Kernel command line",
    "Linux version ",
    "Command line: ",
    "device-mapper: ",
};

// "driver 0000:41:00.0: text", "driver 0000:41:00.0 eth0: text"
bool names_function(std::string_view text) {
    const std::size_t space = text.find(' ');
    if (space == 0 || space == std::string_view::npos || space > 32 || text.size() < space + 13) return false;
    if (!std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(space),
                     [](char c) { return is_alpha(c) || is_digit(c) || c == '_' || c == '-' || c == '.'; })) {
        return false;
    }
    return is_pci_address(text.substr(space + 1, 12));
}

// "{12}[Hardware Error]: …"
bool is_hardware_error(std::string_view text) {
    return starts_with(text, "{") && has(text.substr(0, 40), "[Hardware Error]: ");
}

// "mlx5_0/1: QP 312 error: …"
bool names_port(std::string_view text) {
    const std::size_t slash = text.find('/');
    return slash != 0 && slash != std::string_view::npos && slash < 40 && slash + 3 < text.size() &&
           is_digit(text[slash + 1]) && text[slash + 2] == ':' && has(text.substr(slash), ": QP ") &&
           text.substr(0, slash).find_first_of(" :") == std::string_view::npos;
}

bool is_kernel_text(std::string_view text) {
    return names_port(text) || is_hardware_error(text) || names_function(text) ||
           std::any_of(kKernelStarts.begin(), kKernelStarts.end(),
                       [&](std::string_view each) { return starts_with(text, each); });
}

// "<6>": facility and level.
std::string_view without_priority(std::string_view text, LogLine& line) {
    if (text.size() < 3 || text[0] != '<' || !is_digit(text[1])) return text;
    const std::size_t close = text.find('>');
    if (close == std::string_view::npos || close > 4) return text;
    if (const auto number = parse_integer(text.substr(1, close - 1))) line.level = static_cast<int>(*number & 7);
    return text.substr(close + 1);
}

// "kern  :err   : " of dmesg -x
std::string_view without_facility(std::string_view text, LogLine& line) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos || colon > 9 || !starts_with(text, "kern")) return text;
    const std::string_view rest = text.substr(colon + 1);
    const std::size_t second = rest.find(':');
    if (second == std::string_view::npos || second > 8) return text;
    const std::string_view level = trim(rest.substr(0, second));
    const auto* const found = std::find(kLevels.begin(), kLevels.end(), level);
    if (found == kLevels.end()) return text;
    line.level = static_cast<int>(found - kLevels.begin());
    return trim(rest.substr(second + 1));
}

// No host has been up for as many seconds: such a stamp counts from 1970, and an application has put it there (UCX).
constexpr std::int64_t kLongestUptime = 1'000'000'000;

// "[   12.345678] ", "[Tue Dec  1 10:00:05 2026] ", "[  +0.000012] ", "[  T123] ". False: none of them.
bool take_bracket(std::string_view& text, LogLine& line) {
    if (text.size() < 4 || text[0] != '[') return false;
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos || close > 40) return false;
    const std::string_view inner = trim(text.substr(1, close - 1));
    const std::string_view rest =
        text.substr(std::min(close + (close + 1 < text.size() && text[close + 1] == ' ' ? 2 : 1), text.size()));
    if (inner.empty()) return false;
    const std::size_t dot = inner.find('.');
    if (is_digit(inner[0]) && dot != std::string_view::npos && inner.size() - dot == 7 &&
        std::all_of(inner.begin(), inner.end(), [](char c) { return is_digit(c) || c == '.'; })) {
        const auto seconds = parse_counter(inner.substr(0, dot)), micro = parse_counter(inner.substr(dot + 1));
        if (!seconds || !micro || *seconds > 4'000'000'000) return false;
        if (*seconds < kLongestUptime) {
            line.boot_us = *seconds * 1'000'000 + *micro;
        } else {
            line.wall_ns = (*seconds * 1'000'000 + *micro) * 1000;
            line.source = source_of(rest);
        }
        text = rest;
        return true;
    }
    if (inner[0] == '+' || inner[0] == '<') {  // the time since the line before
        text = rest;
        return true;
    }
    if ((inner[0] == 'T' || inner[0] == 'C') && inner.size() > 1 && inner.size() < 9 &&
        std::all_of(inner.begin() + 1, inner.end(), is_digit)) {
        text = rest;
        return line.boot_us.has_value();
    }
    // "[Dec 1 10:00]" of dmesg -H has no seconds
    if (const auto time = time_at_front(inner);
        time && time->has_date && time->length == inner.size() && is_alpha(inner[0])) {
        line.wall_ns = time->ns;
        text = rest;
        return true;
    }
    return false;
}

// "host prog[12]: text" behind a time of syslog.
bool take_syslog(std::string_view& text, LogLine& line) {
    const std::size_t space = text.find(' ');
    if (space == std::string_view::npos || space == 0 || space > 64) return false;
    const std::string_view host = text.substr(0, space), rest = text.substr(space + 1);
    const std::size_t colon = rest.find(": ");
    if (colon == std::string_view::npos || colon == 0 || colon > 64 || has(rest.substr(0, colon), " ")) return false;
    if (has(host, ":") || has(host, "[") || has(host, "=")) return false;
    const std::string_view program = rest.substr(0, std::min(colon, rest.find('[')));
    line.host = std::string(host.substr(0, host.find('.')));
    line.kernel = program == "kernel";
    line.source = line.kernel ? std::string() : std::string(program.substr(program.rfind('/') + 1));
    text = rest.substr(colon + 2);
    return true;
}

// "host1 kernel: text", "kernel: text"
bool take_kernel_tag(std::string_view& text, LogLine& line) {
    const std::size_t at = text.find("kernel: ");
    if (at == std::string_view::npos || at > 64) return false;
    std::string_view before = trim(text.substr(0, at));
    if (has(before, " ") || has(before, ":")) return false;
    line.host = std::string(before.substr(0, before.find('.')));
    line.kernel = true;
    text = text.substr(at + 8);
    return true;
}

void take_brackets(std::string_view& text, LogLine& line) {
    for (int i = 0; i < 3 && take_bracket(text, line); ++i) {
    }
}

// What applications that use RDMA call it; the words of the kernel are in core/base/log_words.cpp.
constexpr std::array kSubjects{"rdma",     "ibv_",    "infiniband",      "roce",         "nccl",   "ucx ",
                               "verbs",    "wqe",     "completion with", "libfabric",    "net/ib", "peermem",
                               "gdr",      "memlock", "vendor err",      "spdk",         "daos",   "lnet",
                               "mooncake", "nvshmem", "queue pair",      "memory region"};

struct Source {
    std::string_view word, name;
};
constexpr std::array<Source, 22> kSources{{
    {"NCCL", "nccl"},
    {"RCCL", "nccl"},
    {"UCX ", "ucx"},
    {"libibverbs", "libibverbs"},
    {"libfabric", "libfabric"},
    {"librdmacm", "librdmacm"},
    {"rpcrdma", "nfs"},
    {"svcrdma", "nfs"},
    {"SPDK", "spdk"},
    {"spdk", "spdk"},
    {"nvmf", "spdk"},
    {"ceph", "ceph"},
    {"RDMAStack", "ceph"},
    {"daos", "daos"},
    {"mercury", "daos"},
    {"LNet", "lustre"},
    {"Lustre", "lustre"},
    {"mooncake", "mooncake"},
    {"rdma_transport", "mooncake"},
    {"OpenSM", "opensm"},
    {"nvshmem", "nvshmem"},
    {"MPI", "mpi"},
}};

}  // namespace

std::optional<LogLine> log_line_of(std::string_view whole) {
    LogLine line;
    std::string_view text = trim(whole);
    if (text.size() < 8) return std::nullopt;
    text = without_facility(without_priority(text, line), line);
    const bool has_level = line.level.has_value();
    take_brackets(text, line);
    if (line.boot_us || line.wall_ns || has_level) {
        line.kernel = line.source.empty();
        if (line.kernel) take_kernel_tag(text, line);
        line.text = trim(text);
        return line;
    }
    if (const auto time = time_at_front(text); time && time->has_date) {
        line.wall_ns = time->ns;
        text = trim(text.substr(time->length));
        if (take_kernel_tag(text, line)) {
            take_brackets(text, line);
        } else if (is_kernel_text(text)) {
            line.kernel = true;  // dmesg --time-format=iso
        } else if (!take_syslog(text, line)) {
            line.source = std::string(source_of(text));
        }
        line.text = trim(text);
        return line;
    }
    if (take_kernel_tag(text, line)) {
        take_brackets(text, line);
    } else if (is_kernel_text(text)) {
        line.kernel = true;
    } else {
        return std::nullopt;
    }
    line.text = trim(text);
    return line;
}

bool is_trouble(std::string_view line) {
    // What a person writes about it has none of the marks of a program's message.
    const bool is_printed = has(line, ": ") || has(line, "[") || has(line, "WARN") || has(line, "ERROR");
    if (!is_printed || !sounds_like_trouble(line)) return false;
    if (may_concern_rdma(line)) return true;
    const std::string small = lower(line);
    return std::any_of(kSubjects.begin(), kSubjects.end(), [&](std::string_view word) { return has(small, word); });
}

bool is_kernel_of_interest(std::string_view text) {
    return is_kernel_text(text) || has(text, "[Hardware Error]") || may_concern_rdma(text);
}

std::string_view source_of(std::string_view line) {
    for (const Source& source : kSources) {
        if (has(line, source.word)) return source.name;
    }
    return "text";
}

}  // namespace rd::ingest
