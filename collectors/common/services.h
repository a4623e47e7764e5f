// SPDX-License-Identifier: GPL-2.0-or-later
// Storage systems and their programs on this host: the one table of what is known, and how they are found. Found cheaply: among the processes
// that hold a context of an RDMA device, in the control groups of systemd's units, and where a configuration file says that the host is set
// up for a system. Not all processes are looked through. A configuration is a wish: what is proven stands in other facts than what a file says.
//
// Entities (Kind::service) are called as people call them: PROGRAM.INSTANCE where the command line tells the instance (ceph-osd.3,
// daos_engine.0), else PROGRAM (storage_main), and where several of one name run PROGRAM#0, PROGRAM#1 in the order of their pids. What is only
// configured and does not run is called after the system (ceph), or after the instances that its file lists (daos_engine.1).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/common/identity.h"
#include "core/facts/value.h"
#include "core/host/host.h"

namespace rd::collectors {

// To add a system: a row in services.cpp, and a collector of its own for what its configuration says.
struct System {
    std::string_view name;  // ceph
    std::span<const std::string_view>
        programs;  // as /proc/PID/status says them: at most 15 letters; "reactor_*" is a beginning
    std::span<const std::string_view> units;  // beginnings of the names of its units: "ceph-osd@"
    std::string_view probe;          // a setting in the file that shows that the host is set up for it; may be empty
    std::string_view instance = {};  // the option with the name of the instance; may be empty
    std::string_view declared_program = {};  // what runs once for each element at which `probe` stands; may be empty
};

[[nodiscard]] std::span<const System> systems();
[[nodiscard]] const System* system_of(std::string_view program);

struct Service {
    const System* system = nullptr;
    Entity entity;
    std::string program;              // empty: nothing runs, and which program it is about is not known
    std::string instance;             // "3"; may be empty
    Result<std::string> unit;         // ceph-osd@3.service; empty: none
    std::int64_t pid = 0;             // 0: it does not run, as far as was looked
    Result<std::string> status;       // text of /proc/PID/status
    std::vector<RdmaDevice> devices;  // of which it holds a context
};

struct Services {
    std::vector<Service> found;   // by id
    std::optional<Gap> contexts;  // who holds a context could not be told
    std::optional<Gap> units;     // the units could not be listed
};

[[nodiscard]] Services services(const Host& host);
// Those of one system.
[[nodiscard]] std::vector<Service> services_of(const Host& host, std::string_view system);

// The unit whose process it is, from the text of /proc/PID/cgroup; empty: none (a login, a container without a unit).
[[nodiscard]] Result<std::string> unit_in_cgroup(std::string_view text);

}  // namespace rd::collectors
