// SPDX-License-Identifier: GPL-2.0-or-later
// rtnl.link, rtnl.addr: every network interface of this network namespace and its addresses, from one dump each.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/host/socket.h"

namespace rd {

class LinkReader {
public:
    LinkReader();
    [[nodiscard]] Result<std::string> read();

private:
    Request request_;
    Replies replies_;
};

class AddressReader {
public:
    AddressReader();
    [[nodiscard]] Result<std::string> read();

private:
    Request request_;
    Replies replies_;
};

// Messages of other types are passed over.
[[nodiscard]] Result<std::string> decode_links(const Replies& replies);
[[nodiscard]] Result<std::string> decode_addresses(const Replies& replies);

// Of fields, as the records have them.
[[nodiscard]] std::string operstate_text(std::uint8_t state);
[[nodiscard]] std::string hardware_address(Bytes bytes);
[[nodiscard]] std::string address_text(std::uint8_t family, Bytes bytes);  // empty: neither IPv4 nor IPv6

}  // namespace rd
