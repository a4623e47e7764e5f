// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/identity.h"

#include <unistd.h>

#include <algorithm>

#include "core/base/text.h"

namespace rd {
namespace {

std::string text_of(const Files& files, std::string_view path) {
    Buffer buffer;
    return files.open(path)->read(buffer) ? std::string(buffer.text()) : std::string();
}

std::string word_of(const Files& files, std::string_view path) { return std::string(trim(text_of(files, path))); }

// The rest of the first line that starts with `key`, without the colon.
std::string_view field(std::string_view text, std::string_view key) {
    for (const std::string_view line : lines(text)) {
        if (starts_with(line, key)) return trim(line.substr(std::min(line.find(':'), line.size() - 1) + 1));
    }
    return {};
}

}  // namespace

HostIdentity identity_of(const Files& files) {
    HostIdentity identity;
    identity.hostname = word_of(files, "/proc/sys/kernel/hostname");
    identity.kernel = word_of(files, "/proc/sys/kernel/osrelease");
    identity.machine = word_of(files, "/proc/sys/kernel/arch");
    identity.boot_id = word_of(files, "/proc/sys/kernel/random/boot_id");
    identity.uid = ::geteuid();
    identity.capabilities = parse_hex(field(text_of(Files(), "/proc/self/status"), "CapEff")).value_or(0);
    const std::string cpus = text_of(files, "/proc/cpuinfo");
    const auto flags = words(field(cpus, "flags"));
    identity.hypervisor = std::find(flags.begin(), flags.end(), "hypervisor") != flags.end();
    return identity;
}

}  // namespace rd
