// SPDX-License-Identifier: GPL-2.0-or-later
// The text form in which core/host hands over what does not come as a file (netlink, ioctl, libpci, verbs):
// one record a line, fields `key=value` separated by one space. In values, '%', space, '=', and every byte outside
// printable ASCII are written %XX; nothing else is. Keys are [a-z0-9_.] and chosen by the reader, except where a
// driver names its own counters, which are escaped like values.
//
//     lqpn=17 type=RC state=RTS pid=4242 rqpn=18
//
// Chosen over binary or JSON because a recorded answer must be readable in a review and writable by hand.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace rd {

class Record {
public:
    // Value of `key`, unescaped; nullopt when the record has no such field. The first wins when a key is repeated.
    [[nodiscard]] std::optional<std::string> get(std::string_view key) const;
    [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& fields() const { return fields_; }
    void set(std::string_view key, std::string_view value) { fields_.emplace_back(key, value); }
    void set(std::string_view key, std::uint64_t value) { fields_.emplace_back(key, std::to_string(value)); }
    [[nodiscard]] bool empty() const { return fields_.empty(); }
    [[nodiscard]] std::string text() const;  // the escaped line, with its '\n'

private:
    std::vector<std::pair<std::string, std::string>> fields_;
};

// Lines that are empty are skipped. An Error names line and field. At most 65,536 records.
[[nodiscard]] Result<std::vector<Record>> parse_records(std::string_view text);
// All fields of all lines as one record: for subjects that answer one object (statistics, a device).
[[nodiscard]] Result<Record> parse_record(std::string_view text);

}  // namespace rd
