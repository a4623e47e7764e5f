// SPDX-License-Identifier: GPL-2.0-or-later
#include "collectors/common/nvme.h"

#include <fmt/format.h>

#include <map>

#include "collectors/common/files.h"
#include "collectors/common/identity.h"
#include "collectors/common/table.h"

namespace rd::collectors {
namespace {

constexpr std::size_t kMostControllers = 1024;

Result<std::string> label_in(const Host& host, const std::string& path) {
    return read_value(host, path, as_label).map([](const Value& value) { return std::get<std::string>(value); });
}

}  // namespace

Result<std::vector<NvmeController>> nvme_controllers(const Host& host) {
    const auto names = list_subsystem(host, kNvme, "/sys/class");
    if (!names) return tl::unexpected<Error>(names.error());
    std::vector<NvmeController> found;
    std::map<std::string, int> taken;
    for (const std::string& name : *names) {
        if (number_after(name, "nvme") < 0) continue;
        if (found.size() == kMostControllers)
            return fail(Errc::limit, fmt::format("{}: more than {}", kNvme, kMostControllers));
        const std::string path = fmt::format("{}/{}", kNvme, name);
        NvmeController one{
            name, path, {Kind::nvme, {}}, label_in(host, path + "/subsysnqn"), label_in(host, path + "/address")};
        one.entity.id = fmt::format("{}#{}", one.subsystem.value_or("nqn-unknown"), one.address.value_or(name));
        if (taken[one.entity.id]++ > 0) one.entity.id += "#" + name;
        found.push_back(std::move(one));
    }
    return found;
}

}  // namespace rd::collectors
