// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/events/verbs_policy.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <map>

#include "core/base/text.h"
#include "core/host/descriptor.h"

namespace rd::events {
namespace {

struct Driver {
    std::string_view name;    // of the function, which is not always that of the RDMA module upon it
    std::string_view prefix;  // of the functions of the RDMA module; empty: it has always been able to
};
constexpr Driver kDrivers[] = {
    {"mlx5_core", ""},  // mlx5_ib
    {"mlx4_core", ""},  // mlx4_ib
    {"ice", ""},        // irdma
    {"i40e", ""},       // irdma; i40iw before it could as well
    {"idpf", ""},       // irdma
    {"hns3", ""},       // hns_roce_hw_v2
    {"bnxt_en", "bnxt_re_"},
    {"mana", "mana_ib_"},
    {"erdma", "erdma_"},
};
constexpr std::string_view kFunction = "disassociate_ucontext";

std::string first_line(const Files& files, const std::string& path) {
    Buffer buffer;
    if (!files.open(path)->read(buffer)) return {};
    return std::string(trim(buffer.text()));
}

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool is_name(std::string_view name, std::string_view begin, std::string_view end) {
    return name.size() >= begin.size() + end.size() && name.starts_with(begin) && name.ends_with(end);
}

// Whether it is true of any part of the file that a separator ends. Some files are ten megabytes long.
Result<bool> any_piece(const std::string& path, char separator, const std::function<bool(std::string_view)>& is_it) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return tl::unexpected(error_from_errno(errno, path));
    std::string text;
    std::vector<char> block(256u << 10);
    for (;;) {
        const ssize_t size = ::read(file.get(), block.data(), block.size());
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return tl::unexpected(error_from_errno(errno, path));
        if (size == 0) return false;
        text.append(block.data(), static_cast<std::size_t>(size));
        std::size_t from = 0;
        for (std::size_t stop = text.find(separator); stop != std::string::npos; stop = text.find(separator, from)) {
            if (is_it(std::string_view(text).substr(from, stop - from))) return true;
            from = stop + 1;
        }
        text.erase(0, from);
    }
}

}  // namespace

std::vector<VerbsDevice> verbs_devices(const Files& files) {
    const std::string kNodes = "/sys/class/infiniband_verbs", kClass = "/sys/class/infiniband";
    std::map<std::string, std::string> nodes;  // by device
    for (const std::string& node : files.list(kNodes).value_or(std::vector<std::string>{})) {
        if (!starts_with(node, "uverbs")) continue;
        nodes.emplace(first_line(files, kNodes + "/" + node + "/ibdev"), node);
    }
    std::vector<VerbsDevice> devices;
    for (const std::string& name : files.list(kClass).value_or(std::vector<std::string>{})) {
        VerbsDevice device;
        device.name = name;
        device.node = nodes.count(name) ? nodes.at(name) : std::string();
        if (const auto driver = files.link(kClass + "/" + name + "/device/driver")) device.driver = last_part(*driver);
        devices.push_back(std::move(device));
    }
    return devices;
}

ContextDecision decide_context(ContextPolicy policy, const VerbsDevice& device, const HasFunction& has_function) {
    if (policy == ContextPolicy::never) return {false, "contexts are never held, by configuration"};
    if (device.node.empty()) return {false, "it has no uverbs device: ib_uverbs is not loaded"};
    if (policy == ContextPolicy::always) return {true, "contexts are always held, by configuration"};
    if (device.driver.empty()) return {false, "a software device, whose removal waits until no context is open"};
    for (const Driver& driver : kDrivers) {
        if (driver.name != device.driver) continue;
        if (driver.prefix.empty())
            return {true, fmt::format("{} takes a device away from open contexts", device.driver)};
        const auto has = has_function(driver.prefix, kFunction);
        if (!has) {
            return {false, fmt::format("whether {} of this kernel takes a device away from open contexts cannot be "
                                       "told: {} (who knows that it does: contexts = \"always\")",
                                       device.driver, has.error().what)};
        }
        if (*has) {
            return {true, fmt::format("{} of this kernel takes a device away from open contexts", device.driver)};
        }
        return {false, fmt::format("{} of this kernel waits in the removal of a device until no context is open",
                                   device.driver)};
    }
    return {false, fmt::format("{} is not known to take a device away from open contexts", device.driver)};
}

bool line_names_function(std::string_view line, std::string_view begin, std::string_view end) {
    const auto fields = words(line);
    if (fields.size() < 3 || (fields[1] != "t" && fields[1] != "T")) return false;
    return is_name(fields[2], begin, end);
}

Result<bool> kernel_has_function(std::string_view begin, std::string_view end, const std::string& root) {
    const std::string_view module = begin.substr(0, begin.find_last_not_of('_') + 1);
    const auto described = any_piece(root + "/sys/kernel/btf/" + std::string(module), '\0',
                                     [&](std::string_view name) { return is_name(name, begin, end); });
    // What the description leaves out, or a kernel without one, the symbols tell.
    if (described && *described) return true;
    bool any = false;
    const std::string symbols = root + "/proc/kallsyms";
    auto listed = any_piece(symbols, '\n', [&](std::string_view line) {
        any = true;
        // Most lines are not worth taking apart.
        return line.find(end) != std::string_view::npos && line_names_function(line, begin, end);
    });
    // No kernel is without symbols: something else lies there.
    if (listed && !any) return fail(Errc::io, symbols + ": is empty");
    return listed;
}

}  // namespace rd::events
