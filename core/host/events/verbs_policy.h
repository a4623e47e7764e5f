// SPDX-License-Identifier: GPL-2.0-or-later
// Which RDMA devices there are for libibverbs, and whether a context of one may be held open. Private to core/host/events.
//
// A driver that can disassociate its user contexts takes a device away from under them. One that cannot waits in the removal of the device,
// in uninterruptible sleep, until the last context is closed; and its module cannot be unloaded while there is one. The kernel does not
// say which it is. So drivers that have always been able to are listed. Of those that learned it later, the kernel is asked for the
// function: versions would mislead, since distributions port such things back. Every other driver is taken for one
// that cannot, above all those of software devices, which have no driver below them that could be named.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/host/events/source.h"
#include "core/host/files.h"

namespace rd::events {

struct VerbsDevice {
    std::string name;    // mlx5_0
    std::string node;    // uverbs0; empty: none, so no context can be opened
    std::string driver;  // of the function below it: mlx5_core; empty: a software device

    friend bool operator==(const VerbsDevice&, const VerbsDevice&) = default;
};
[[nodiscard]] std::vector<VerbsDevice> verbs_devices(const Files& files);

struct ContextDecision {
    bool hold = false;
    std::string reason;
};
// Whether the kernel has a function whose name begins and ends like this. An Error: that could not be found out.
using HasFunction = std::function<Result<bool>(std::string_view begin, std::string_view end)>;
[[nodiscard]] ContextDecision decide_context(ContextPolicy policy, const VerbsDevice& device,
                                             const HasFunction& has_function);

// In the text of /proc/kallsyms: "0000000000000000 t NAME\t[module]".
[[nodiscard]] bool line_names_function(std::string_view line, std::string_view begin, std::string_view end);
// `begin`: the name of the module, and "_". What its types say of it (/sys/kernel/btf/MODULE) is small, and may be read in the sandbox of the
// service, where /proc/kallsyms may not (ProtectKernelTunables=). But they need not have every function, so that only the table of symbols,
// some ten megabytes, tells that there is none.
[[nodiscard]] Result<bool> kernel_has_function(std::string_view begin, std::string_view end,
                                               const std::string& root = {});

}  // namespace rd::events
