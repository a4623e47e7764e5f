// SPDX-License-Identifier: GPL-2.0-or-later
#include "collectors/common/files.h"

#include <fmt/format.h>

#include <algorithm>

#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {

Error named(const std::string& path, Error error) {
    error.what = path + ": " + error.what;
    return error;
}

Result<Value> read_value(const Host& host, const std::string& path, Parser parser) {
    const auto text = host.read(path);
    if (!text) return tl::unexpected<Error>(text.error());
    auto value = parser(*text);
    if (!value) return tl::unexpected<Error>(named(path, value.error()));
    return value;
}

Result<std::string> read_word(const Host& host, const std::string& path) {
    const auto text = host.read(path);
    if (!text) return tl::unexpected<Error>(text.error());
    if (trim(*text).empty()) return std::string();
    auto label = as_label(*text);
    if (!label) return tl::unexpected<Error>(named(path, label.error()));
    return std::get<std::string>(std::move(*label));
}

Result<std::int64_t> read_number(const Host& host, const std::string& path) {
    return read_value(host, path, as_integer).map([](const Value& value) { return std::get<std::int64_t>(value); });
}

Result<std::vector<int>> read_cpulist(const Host& host, const std::string& path) {
    const auto text = host.read(path);
    if (!text) return tl::unexpected<Error>(text.error());
    auto cpus = parse_cpulist(*text);
    if (!cpus) return tl::unexpected<Error>(named(path, cpus.error()));
    return cpus;
}

Result<Value> as_choice(std::string_view text) {
    const std::size_t open = text.find('['), close = text.find(']');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
        return fail(Errc::bad_input, "nothing is chosen: '" + printable(trim(text)) + "'");
    }
    return as_label(text.substr(open + 1, close - open - 1));
}

Result<Value> as_cpus(std::string_view text) {
    const auto cpus = parse_cpulist(text);
    if (!cpus) return tl::unexpected<Error>(cpus.error());
    if (cpus->empty()) return fail(Errc::not_supported, "the list of CPUs is empty");
    return Value(std::string(trim(text)));
}

std::int64_t number_after(std::string_view name, std::string_view prefix) {
    if (!name.starts_with(prefix)) return -1;
    return parse_counter(name.substr(prefix.size())).value_or(-1);
}

Result<bool> unit_runs(const Host& host, std::string_view unit) {
    constexpr std::string_view kUnified = "/sys/fs/cgroup/system.slice";
    constexpr std::string_view kLegacy = "/sys/fs/cgroup/systemd/system.slice";
    auto units = host.list(kUnified);
    if (!units && units.error().code == Errc::not_found) units = host.list(kLegacy);
    if (units) return std::find(units->begin(), units->end(), unit) != units->end();
    if (units.error().code == Errc::not_collected) {
        // A source without the listing may know this unit all the same.
        const std::string folder = fmt::format("{}/{}", kUnified, unit);
        const auto processes = host.read(folder + "/cgroup.procs");
        if (!processes && processes.error().code == Errc::not_found) return false;
        if (processes || host.list(folder)) return true;
    }
    if (units.error().code == Errc::not_found) {
        return fail(Errc::not_supported, fmt::format("{}: no control groups of systemd", kUnified));
    }
    return tl::unexpected<Error>(units.error());
}

}  // namespace rd::collectors
