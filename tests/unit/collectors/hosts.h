// SPDX-License-Identifier: GPL-2.0-or-later
// Hosts that the tests of several collectors look at. Texts are as the kernel writes them.
#pragma once

#include <memory>

#include "tests/unit/support/fake_host.h"

namespace rd::collectors::test {

// A ConnectX-7 (mlx5_0, ens1f0, 0000:41:00.0) below the root port 0000:40:01.0 on the second of two NUMA nodes, with DCB set up for
// RoCE on priority 3 and one process that uses it. All subjects answer.
[[nodiscard]] std::shared_ptr<FakeHost> roce_host();
// The same seen as files only: every subject is "not collected".
[[nodiscard]] std::shared_ptr<FakeHost> roce_tree();
// Soft-RoCE (rxe0) on an interface of a card whose own RDMA is not there.
[[nodiscard]] std::shared_ptr<FakeHost> rxe_host();

[[nodiscard]] Error absent(std::string_view name);
[[nodiscard]] Error denied(std::string_view name);

}  // namespace rd::collectors::test
