// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/namespaces.h"

#include <net/if.h>

#include <algorithm>
#include <utility>

#include "core/base/records.h"
#include "core/base/text.h"
#include "core/host/subjects.h"

namespace rd {
namespace {

std::map<std::string, unsigned> own_interfaces() {
    std::map<std::string, unsigned> interfaces;
    const std::unique_ptr<struct if_nameindex, decltype(&::if_freenameindex)> all(::if_nameindex(),
                                                                                  &::if_freenameindex);
    for (const struct if_nameindex* each = all.get(); each != nullptr && each->if_index != 0; ++each) {
        interfaces.emplace(each->if_name, each->if_index);
    }
    return interfaces;
}

std::vector<std::string> own_rdma_devices() {
    std::vector<std::string> names;
    Buffer buffer;
    if (!open_subject("rdma.devices")->read(buffer)) return names;
    const auto records = parse_records(buffer.text());
    if (!records) return names;
    for (const Record& record : *records) names.push_back(record.get("name").value_or(std::string()));
    return names;
}

// Of the files, those in which the kernel shows the reader its own namespace, whichever /proc is read.
bool is_of_network(std::string_view name) {
    constexpr std::string_view kStarts[] = {"rtnl.",          "dcb.",       "ethtool.",
                                            "/proc/sys/net/", "/proc/net/", "/proc/self/net/"};
    return std::any_of(std::begin(kStarts), std::end(kStarts),
                       [name](std::string_view start) { return starts_with(name, start); });
}

class Guarded final : public Handle {
public:
    Guarded(std::shared_ptr<Namespaces> namespaces, std::string_view subject, std::unique_ptr<Handle> inner)
        : namespaces_(std::move(namespaces)), subject_(subject), inner_(std::move(inner)) {}

    Result<> read(Buffer& into) override {
        if (auto refused = namespaces_->refused(subject_)) return tl::unexpected<Error>(std::move(*refused));
        Result<> answer = inner_->read(into);
        if (answer && starts_with(subject_, "rdma.") && !namespaces_->same_processes()) {
            into.assign(without_pids(std::string(into.text())));
        }
        return answer;
    }

private:
    std::shared_ptr<Namespaces> namespaces_;
    std::string subject_;
    std::unique_ptr<Handle> inner_;
};

}  // namespace

bool same_interfaces(const Files& files, const std::map<std::string, unsigned>& interfaces) {
    const auto names = files.list("/sys/class/net");
    if (!names) return false;
    std::size_t count = 0;
    Buffer buffer;
    for (const std::string& name : *names) {
        // Not everything there is an interface (bonding_masters).
        if (!files.open("/sys/class/net/" + name + "/ifindex")->read(buffer)) continue;
        const auto index = parse_integer(buffer.text());
        const auto found = interfaces.find(name);
        if (!index || found == interfaces.end() || *index != static_cast<std::int64_t>(found->second)) return false;
        ++count;
    }
    return count == interfaces.size();
}

bool same_rdma_devices(const Files& files, const std::vector<std::string>& names) {
    auto listed = files.list("/sys/class/infiniband");
    if (!listed) return names.empty() && listed.error().code == Errc::not_found;
    std::vector<std::string> asked = names;
    std::sort(asked.begin(), asked.end());
    return *listed == asked;
}

bool same_process_ids(const Files& files) {
    Buffer buffer;
    if (!files.open("/proc/self/status")->read(buffer)) return false;
    for (const std::string_view line : lines(buffer.text())) {
        // The numbers that this process has, from the namespace of that /proc down to its own.
        if (starts_with(line, "NSpid:")) return words(line).size() == 2;
    }
    return false;
}

std::string without_pids(std::string_view records) {
    std::string out;
    for (const std::string_view line : lines(records)) {
        bool first = true;
        for (const std::string_view field : split(line, ' ')) {
            if (starts_with(field, "pid=")) continue;
            if (!std::exchange(first, false)) out += ' ';
            out += field;
        }
        out += '\n';
    }
    return out;
}

Error Namespaces::elsewhere(std::string_view subject, std::string_view which, std::string_view remedy) const {
    return {Errc::not_collected,
            std::string(subject) + ": this process is in another " + std::string(which) +
                " namespace than the files below " + root_,
            std::string(remedy)};
}

std::optional<Error> Namespaces::refused(std::string_view name) {
    constexpr std::string_view kNetwork =
        "give the container the network of the host (--network host, hostNetwork: true)";
    if (is_of_network(name)) {
        std::call_once(network_asked_, [this] { same_network_ = same_interfaces(files_, own_interfaces()); });
        if (!same_network_) return elsewhere(name, "network", kNetwork);
    }
    if (starts_with(name, "rdma.")) {
        std::call_once(rdma_asked_, [this] { same_rdma_ = same_rdma_devices(files_, own_rdma_devices()); });
        if (!same_rdma_) return elsewhere(name, "network", kNetwork);
    }
    if (starts_with(name, "rdma.ctx/") && !same_processes()) {
        return elsewhere(name, "process", "give the container the processes of the host (--pid host, hostPID: true)");
    }
    return std::nullopt;
}

bool Namespaces::same_processes() {
    std::call_once(processes_asked_, [this] { same_processes_ = same_process_ids(files_); });
    return same_processes_;
}

std::unique_ptr<Handle> guarded(std::shared_ptr<Namespaces> namespaces, std::string_view subject,
                                std::unique_ptr<Handle> inner) {
    return std::make_unique<Guarded>(std::move(namespaces), subject, std::move(inner));
}

}  // namespace rd
