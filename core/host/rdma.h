// SPDX-License-Identifier: GPL-2.0-or-later
// rdma.*: RDMA devices, ports, resources and statistics from RDMA netlink (NETLINK_RDMA, NLDEV). Reading needs no privilege.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/host/rdma_decode.h"
#include "core/host/socket.h"

namespace rd {

enum class RdmaPart { devices, device, port, resources, qp, cm_id, ctx, cq, mr, mr_stat, stat, system };

class RdmaReader {
public:
    // `device` is empty for devices and system, `port` is 0 where the subject has none.
    RdmaReader(RdmaPart part, std::string device, std::uint32_t port, std::string object);
    [[nodiscard]] Result<std::string> read();

private:
    // A queue pair costs a firmware command on some devices, so a table is not read beyond this.
    static constexpr std::size_t kMaxEntries = 4096;

    [[nodiscard]] Result<std::string> read_devices();
    [[nodiscard]] Result<> find_device();
    // nullopt: the remembered index does not (any more) stand for this device.
    [[nodiscard]] Result<std::optional<std::string>> read_device();
    [[nodiscard]] Result<std::optional<std::string>> read_table(RdmaTable table);
    [[nodiscard]] Result<std::optional<std::string>> read_one();
    [[nodiscard]] bool is_ours(Bytes attributes) const;
    [[nodiscard]] tl::unexpected<Error> error(const Failure& failure) const;

    RdmaPart part_;
    std::string device_;
    std::uint32_t port_;
    std::string object_;
    std::optional<Request> request_;  // holds the device's index, so it is built when that is known
    Replies replies_;
};

}  // namespace rd
