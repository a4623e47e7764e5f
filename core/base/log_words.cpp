// SPDX-License-Identifier: GPL-2.0-or-later
// The words by which lines of the kernel log are chosen.
#include <algorithm>
#include <array>

#include "core/base/log_line.h"

namespace rd {
namespace {

// Beginnings of words, in small letters. Drivers and devices first of all; then what runs on them, and what they stand on.
constexpr std::array<std::string_view, 71> kConcern = {
    "aer",    "amd-vi",  "amdgpu",     "ardma",   "bnxt",  "bond",   "ceph",   "cifs",   "cma",
    "cxgb",   "dma-buf", "dmar",       "drbd",    "efa",   "erdma",  "eth",    "fcoe",   "gdrdrv",
    "gpfs",   "hca",     "hfi1",       "hns",     "i40",   "ib0",    "ib_",    "ibp",    "ibs",
    "ibv",    "icrdma",  "infiniband", "ionic",   "iommu", "ipoib",  "irdma",  "iscsi",  "isert",
    "iser",   "ksmbd",   "ko2iblnd",   "libceph", "lnet",  "lustre", "mana",   "mlx",    "mmfs",
    "netdev", "nfs",     "nvidia",     "nvme",    "nvmet", "nvrm",   "o2ib",   "ocrdma", "openibd",
    "opa",    "pci",     "peer",       "qed",     "rbd",   "rds",    "rdma",   "roce",   "rpcrdma",
    "rxe",    "siw",     "smb",        "smc",     "smmu",  "srp",    "sunrpc", "svcrdma"};

constexpr std::array<std::string_view, 35> kTrouble = {
    "abort",    "bad",    "block",  "bug",      "call trace", "cannot",     "can't",   "compromis", "corrupt",
    "couldn't", "degrad", "denied", "disagree", "disconn",    "down",       "drop",    "err",       "exceed",
    "fail",     "fatal",  "fault",  "full",     "invalid",    "insufficie", "killed",  "lost",      "not found",
    "refus",    "reject", "reset",  "stuck",    "time-out",   "timed out",  "timeout", "unknown"};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

// Does the text begin with `small`, in any case?
bool begins(std::string_view text, std::string_view small) {
    if (text.size() < small.size()) return false;
    for (std::size_t i = 0; i < small.size(); ++i) {
        if (lower(text[i]) != small[i]) return false;
    }
    return true;
}

}  // namespace

bool may_concern_rdma(std::string_view line) {
    for (std::size_t at = 0; at < line.size();) {
        if (!is_word(line[at])) {
            ++at;
            continue;
        }
        const std::string_view rest = line.substr(at);
        const char first = lower(line[at]);
        for (const std::string_view word : kConcern) {
            if (word.front() == first && begins(rest, word)) return true;
        }
        while (at < line.size() && is_word(line[at])) ++at;
    }
    return false;
}

bool sounds_like_trouble(std::string_view line) {
    for (std::size_t at = 0; at < line.size(); ++at) {
        const char first = lower(line[at]);
        for (const std::string_view word : kTrouble) {
            if (word.front() == first && begins(line.substr(at), word)) return true;
        }
    }
    return false;
}

}  // namespace rd
