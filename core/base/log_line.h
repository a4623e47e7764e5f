// SPDX-License-Identifier: GPL-2.0-or-later
// What can be said of one line of a log without knowing what it means: its shape, the names in it, whether it may be worth keeping.
// Total functions, linear in the line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rd {

// The line with all that differs between two lines of one meaning (numbers, hexadecimal, network addresses, times, what stands in
// quotes) as '#'. Names of devices stay, for two adapters with one fault are two lines, and so do the numbers of statuses and errors, for
// "with status=12" is the cause and "with status=5" what follows.
[[nodiscard]] std::string log_shape(std::string_view line);

// Words that name a piece of hardware by their form: mlx5_0, bnxt_re1, nvme3, nvme0n1, ens1f0np0, eth2, ib0, bond0.
[[nodiscard]] bool is_device_word(std::string_view word);

// The PCI addresses and words that a line names something by, in order, each once: [A-Za-z0-9_.-] with a letter. Of "mlx5_0/1:"
// both "mlx5_0/1" and "mlx5_0".
[[nodiscard]] std::vector<std::string_view> names_in_line(std::string_view line);
// "0000:41:00.0", or "41:00.0" in brackets as the IOMMU of Intel writes it (its domain is 0), as full addresses.
[[nodiscard]] std::vector<std::string> pci_addresses_in(std::string_view line);

// Whether a line of the kernel may be about RDMA, storage over it, or what carries it (PCI Express, IOMMU, links). By words, of which
// each begins like one of a list in log_words.cpp; it keeps too much rather than too little.
[[nodiscard]] bool may_concern_rdma(std::string_view line);
// Whether it has a word of trouble in it (fail, error, timeout, …). For logs that give no level.
[[nodiscard]] bool sounds_like_trouble(std::string_view line);

}  // namespace rd
