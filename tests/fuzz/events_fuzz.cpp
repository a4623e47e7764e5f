// SPDX-License-Identifier: GPL-2.0-or-later
// What comes from the kernel by itself, in the order of the first byte: messages of links, addresses, devices, devlink, and the kernel log.
// Every decoder sees a message and its cut halves one after the other, since they remember.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>

#include "core/host/events/devlink.h"
#include "core/host/events/fold.h"
#include "core/host/events/kmsg_follow.h"
#include "core/host/events/link.h"
#include "core/host/events/rdma_monitor.h"
#include "core/host/events/uevent.h"
#include "core/host/events/verbs_policy.h"

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

// Counts that come out are those that went in, and nothing opens or closes twice.
void fold(const rd::events::Events& events) {
    std::uint64_t in = 0, out = 0;
    std::map<std::uint64_t, int> open;
    rd::EventFolder folder([&](const rd::FoldedEvent& folded) { require(open[folded.id]++ == 0); },
                           [&](const rd::FoldedEvent& folded) {
                               require(open[folded.id]++ == 1);
                               out += folded.event.count;
                           },
                           {std::chrono::nanoseconds(20), 3});
    std::int64_t now = 0;
    for (rd::HostEvent event : events) {
        event.at.boot_ns = now++;
        in += event.count;
        require(event.count > 0 && !event.name.empty());
        folder.add(std::move(event));
    }
    folder.close_all();
    require(in == out);
}

class Tables final : public rd::events::Decoder {
public:
    rd::Result<> take(rd::Bytes datagram, rd::events::Events& out) override {
        rd::Replies list;
        const auto taken = rd::events::for_each_message(datagram, [&](const rd::Message& message) -> rd::Result<> {
            list.add(message);
            if (auto link = links_.take(message, out); !link) return link;
            return addresses_.take(message, out);
        });
        (void)links_.compare(list, out);
        (void)addresses_.compare(list, out);
        return taken;
    }

private:
    rd::events::LinkTable links_;
    rd::events::AddressTable addresses_{[this](std::uint32_t index) { return links_.name_of(index); }};
};

void decode(rd::events::Decoder& decoder, rd::Bytes bytes) {
    rd::events::Events out;
    (void)decoder.take(bytes, out);
    (void)decoder.take(bytes.first(bytes.size() / 2), out);
    (void)decoder.take(bytes.subspan(bytes.size() / 2), out);
    (void)decoder.take(bytes, out);
    fold(out);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const rd::Bytes bytes = rd::Bytes(reinterpret_cast<const std::byte*>(data), size).subspan(1);
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    switch (data[0] % 6) {
        case 0: {
            Tables tables;
            decode(tables, bytes);
            break;
        }
        case 1: {
            rd::events::RdmaMonitorDecoder decoder;
            decode(decoder, bytes);
            break;
        }
        case 2: {
            rd::events::UeventDecoder decoder;
            decode(decoder, bytes);
            break;
        }
        case 3: {
            rd::events::DevlinkDecoder decoder(21);
            decode(decoder, bytes);
            (void)rd::events::decode_generic_group(bytes, "config");
            break;
        }
        case 4: {
            rd::events::KmsgDecoder decoder;
            decode(decoder, bytes);
            break;
        }
        default:
            (void)rd::events::line_names_function(text, "bnxt_re_", "_disassociate_ucontext");
    }
    return 0;
}
