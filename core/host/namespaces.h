// SPDX-License-Identifier: GPL-2.0-or-later
// Whether what the kernel answers to this process is about the host whose files are read. A container that has the host's /sys and
// /proc mounted may still live in network and process namespaces of its own: then netlink tells of other interfaces, under names
// and indices that may be the same, and process ids are other numbers. Such answers must not be mixed with the host's files.
// Private to core/host.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/host/files.h"

namespace rd {

// The interfaces of the files are exactly these (name → index).
[[nodiscard]] bool same_interfaces(const Files& files, const std::map<std::string, unsigned>& interfaces);
// The RDMA devices of the files are exactly these.
[[nodiscard]] bool same_rdma_devices(const Files& files, const std::vector<std::string>& names);
// Processes have the same numbers in the files as for this process.
[[nodiscard]] bool same_process_ids(const Files& files);
// A text of records without its fields "pid".
[[nodiscard]] std::string without_pids(std::string_view records);

class Namespaces {
public:
    Namespaces(Files files, std::string root) : files_(std::move(files)), root_(std::move(root)) {}

    // Why a subject, or a file that shows each reader its own namespace, is not asked; nothing when its answer belongs to the host.
    // Found out when first needed, since asking may hang.
    [[nodiscard]] std::optional<Error> refused(std::string_view name);
    [[nodiscard]] bool same_processes();

private:
    [[nodiscard]] Error elsewhere(std::string_view subject, std::string_view which, std::string_view remedy) const;

    Files files_;
    std::string root_;
    std::once_flag network_asked_, rdma_asked_, processes_asked_;
    bool same_network_ = false, same_rdma_ = false, same_processes_ = false;
};

// `inner`, which is read where it is not refused, and without process ids that mean other processes.
[[nodiscard]] std::unique_ptr<Handle> guarded(std::shared_ptr<Namespaces> namespaces, std::string_view subject,
                                              std::unique_ptr<Handle> inner);

}  // namespace rd
