// SPDX-License-Identifier: GPL-2.0-or-later
// The attributes of RDMA netlink (NLDEV) messages as records. Pure.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "core/base/records.h"
#include "core/base/result.h"
#include "core/host/socket_attributes.h"

namespace rd {

// Numbers of include/uapi/rdma/rdma_netlink.h that are used here. Our own list: the header that Debian 12 ships is older
// than its kernel.
namespace nldev {

inline constexpr int kClient = 5;  // RDMA_NL_NLDEV
[[nodiscard]] constexpr std::uint16_t message_type(std::uint16_t operation) {
    return static_cast<std::uint16_t>((kClient << 10) + operation);
}

enum Operation : std::uint16_t {
    kGet = 1,
    kPortGet = 5,
    kSysGet = 6,
    kResGet = 9,
    kResQpGet = 10,
    kResCmIdGet = 11,
    kResCqGet = 12,
    kResMrGet = 13,
    kStatGet = 17,
    kResCtxGet = 22,
    kMonitor = 28,
};

enum Attribute : std::uint16_t {
    kDevIndex = 1,
    kDevName = 2,
    kPortIndex = 3,
    kCapFlags = 4,
    kFwVersion = 5,
    kNodeGuid = 6,
    kSysImageGuid = 7,
    kLid = 9,
    kSmLid = 10,
    kLmc = 11,
    kPortState = 12,
    kPortPhysState = 13,
    kDevNodeType = 14,
    kResSummary = 15,
    kResSummaryEntry = 16,
    kResSummaryEntryName = 17,
    kResSummaryEntryCurr = 18,
    kResQp = 19,
    kResQpEntry = 20,
    kResLqpn = 21,
    kResRqpn = 22,
    kResSqPsn = 24,
    kResPathMigState = 25,
    kResType = 26,
    kResState = 27,
    kResPid = 28,
    kResKernName = 29,
    kResCmId = 30,
    kResCmIdEntry = 31,
    kResPs = 32,
    kResSrcAddr = 33,
    kResDstAddr = 34,
    kResCq = 35,
    kResCqEntry = 36,
    kResCqe = 37,
    kResUseCount = 38,
    kResMr = 40,
    kResMrEntry = 41,
    kResMrLength = 45,
    kNdevIndex = 50,
    kNdevName = 51,
    kResPdn = 60,
    kResCqn = 61,
    kResMrn = 62,
    kResCmIdn = 63,
    kResCtxn = 64,
    kSysNetnsMode = 66,
    kDevProtocol = 67,
    kStatRes = 75,
    kStatHwcounters = 80,
    kStatHwcounterEntry = 81,
    kStatHwcounterEntryName = 82,
    kStatHwcounterEntryValue = 83,
    kDevDim = 84,
    kResCtx = 86,
    kResCtxEntry = 87,
    kSysCopyOnFork = 93,
    kSysPrivilegedQkey = 96,
    kResSubtype = 98,
    kEventType = 102,
    kSysMonitorMode = 103,
};

}  // namespace nldev

// The device a message speaks of; the name is empty when it does not say.
struct RdmaDevice {
    std::uint32_t index = 0;
    std::string name;
    std::uint32_t ports = 0;
};
[[nodiscard]] Result<RdmaDevice> decode_rdma_identity(Bytes attributes);

[[nodiscard]] Result<Record> decode_rdma_device(Bytes attributes);
[[nodiscard]] Result<Record> decode_rdma_port(Bytes attributes);
[[nodiscard]] Result<Record> decode_rdma_resources(Bytes attributes);
[[nodiscard]] Result<Record> decode_rdma_statistics(Bytes attributes);
[[nodiscard]] Result<Record> decode_rdma_system(Bytes attributes);

// A resource table that arrives in several messages. The kernel resumes by position, so an entry may come twice.
enum class RdmaTable { qp, cm_id, ctx, cq, mr, mr_stat };
class RdmaTableText {
public:
    RdmaTableText(RdmaTable table, std::size_t limit) : table_(table), limit_(limit) {}

    [[nodiscard]] Result<> add(Bytes attributes);
    [[nodiscard]] bool full() const { return seen_.size() > limit_; }  // there is more than fits
    [[nodiscard]] bool empty() const { return seen_.empty(); }
    // What was collected; `error` is what ended the table early. Then, or when it was cut at the limit, a last record
    // says so: truncated=1 seen=N [error=TEXT].
    [[nodiscard]] std::string text(const std::string& error = {}) const;

private:
    using Key = std::pair<std::uint32_t, std::uint32_t>;
    void add_entry(Attributes& entry);

    RdmaTable table_;
    std::size_t limit_;
    std::set<Key> seen_;
    std::string text_;
};

// A sockaddr as address:port; empty when the family is unknown or the bytes too few.
[[nodiscard]] std::string socket_address_text(Bytes address);

}  // namespace rd
