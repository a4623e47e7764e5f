// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/settings.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/letters.h"
#include "core/base/text.h"
#include "core/host/environment.h"
#include "core/host/fstab.h"
#include "core/host/settings_formats.h"

namespace rd {
namespace {

constexpr std::size_t kMostBytes = 1u << 20;  // no configuration of a service is larger
constexpr std::size_t kMostSettings = 4096;
constexpr std::size_t kLongestValue = 1024;
constexpr std::size_t kLongestName = 80;

bool is_setting_name(std::string_view name) {
    return !name.empty() && name.size() <= kLongestName && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
               c == '.';
    });
}

bool climbs(std::string_view path) {
    const auto parts = split(path, '/');
    return std::any_of(parts.begin(), parts.end(), [](std::string_view part) { return part == ".."; });
}

class FailedHandle final : public Handle {
public:
    explicit FailedHandle(Error error) : error_(std::move(error)) {}
    Result<> read(Buffer&) override { return tl::unexpected<Error>(error_); }

private:
    Error error_;
};

// What `filter` leaves of the text of a file.
template <class Filter>
class FilteredHandle final : public Handle {
public:
    FilteredHandle(std::unique_ptr<Handle> file, Filter filter) : file_(std::move(file)), filter_(std::move(filter)) {}
    Result<> read(Buffer& into) override {
        Buffer whole;
        if (auto answer = file_->read(whole); !answer) return answer;
        auto left = filter_(whole.text());
        if (!left) return tl::unexpected<Error>(std::move(left.error()));
        into.assign(*left);
        return {};
    }

private:
    std::unique_ptr<Handle> file_;
    Filter filter_;
};

template <class Filter>
std::unique_ptr<Handle> filtered(std::unique_ptr<Handle> file, Filter filter) {
    return std::make_unique<FilteredHandle<Filter>>(std::move(file), std::move(filter));
}

std::unique_ptr<Handle> refused(std::string_view name, std::string_view why) {
    return std::make_unique<FailedHandle>(Error{Errc::bad_input, printable(name, 200) + ": " + std::string(why), {}});
}

std::unique_ptr<Handle> open_config(const Opener& files, SettingsFormat format, std::string_view subject,
                                    std::string_view rest) {
    const std::size_t slash = rest.find('/');
    const std::string_view name = rest.substr(0, slash);
    if (slash == std::string_view::npos || slash + 1 == rest.size()) return refused(subject, "takes a name and a path");
    if (!is_setting_name(name)) return refused(subject, "not the name of a setting");
    if (sounds_secret(name)) return refused(subject, "secrets are not read");
    const std::string path(rest.substr(slash));
    if (climbs(path)) return refused(subject, "not an absolute path");
    return filtered(files(path), [format, name = std::string(name), path](std::string_view text) {
        return pick_setting(format, name, text, path);
    });
}

std::unique_ptr<Handle> open_environment(const Opener& files, std::string_view subject, std::string_view rest) {
    const auto pid = parse_counter(rest);
    if (!pid || *pid == 0) return refused(subject, "takes the number of a process");
    const std::string path = "/proc/" + std::to_string(*pid) + "/environ";
    return filtered(files(path), [](std::string_view text) -> Result<std::string> { return known_variables(text); });
}

std::unique_ptr<Handle> open_option(const Opener& files, std::string_view subject, std::string_view rest) {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const auto pid = parse_counter(rest.substr(0, slash));
    const std::string_view option = slash < rest.size() ? rest.substr(slash + 1) : std::string_view();
    if (!pid || *pid == 0) return refused(subject, "takes the number of a process and an option");
    if (!is_option(option)) return refused(subject, "not an option that is read");
    return filtered(files("/proc/" + std::to_string(*pid) + "/cmdline"),
                    [option = std::string(option)](std::string_view text) -> Result<std::string> {
                        return option_values(text, option);
                    });
}

// Takes the path of a table of file systems.
std::unique_ptr<Handle> open_mounts(const Opener& files, std::string_view subject, std::string_view rest) {
    const std::string path = "/" + std::string(rest);
    if (rest.empty() || climbs(path)) return refused(subject, "takes an absolute path");
    return filtered(files(path), [path](std::string_view text) { return network_mounts(text, path); });
}

struct Format {
    std::string_view subject;
    SettingsFormat format;
};
constexpr std::array<Format, 3> kFormats{Format{"config.ini", SettingsFormat::ini},
                                         Format{"config.yaml", SettingsFormat::yaml},
                                         Format{"config.toml", SettingsFormat::toml}};

}  // namespace

bool sounds_secret(std::string_view name) {
    const std::string small = lower(name.substr(name.rfind('.') + 1));
    constexpr std::string_view kParts[] = {"secret", "passw", "token", "credential", "keyring", "psk", "dhchap"};
    return small == "key" || small.ends_with("_key") || small.ends_with("-key") ||
           std::any_of(std::begin(kParts), std::end(kParts),
                       [&](std::string_view part) { return small.find(part) != std::string::npos; });
}

Result<std::string> pick_setting(SettingsFormat format, std::string_view name, std::string_view text,
                                 std::string_view object) {
    if (text.size() > kMostBytes) return fail(Errc::limit, std::string(object) + ": larger than 1 MiB");
    std::string answer;
    std::size_t count = 0;
    bool too_long = false;
    const SettingSink take = [&](std::string_view at, std::string_view value) {
        too_long = too_long || value.size() > kLongestValue || ++count > kMostSettings;
        if (too_long) return;
        Record record;
        record.set("at", at);
        record.set("value", value);
        answer += record.text();
    };
    const auto read = format == SettingsFormat::ini    ? read_ini(text, name, take)
                      : format == SettingsFormat::yaml ? read_yaml(text, name, take)
                                                       : read_toml(text, name, take);
    if (!read) return fail(read.error().code, std::string(object) + ": " + read.error().what);
    if (too_long) return fail(Errc::limit, std::string(object) + ": " + std::string(name) + ": longer than is kept");
    return answer;
}

std::unique_ptr<Handle> open_filtered(const Opener& files, std::string_view name) {
    const std::size_t slash = std::min(name.find('/'), name.size());
    const std::string_view subject = name.substr(0, slash);
    const std::string_view rest = slash < name.size() ? name.substr(slash + 1) : std::string_view();
    if (subject == "config.mounts") return open_mounts(files, name, rest);
    if (subject == "proc.env") return open_environment(files, name, rest);
    if (subject == "proc.option") return open_option(files, name, rest);
    for (const Format& format : kFormats) {
        if (format.subject == subject) return open_config(files, format.format, name, rest);
    }
    return nullptr;
}

}  // namespace rd
