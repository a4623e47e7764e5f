// SPDX-License-Identifier: GPL-2.0-or-later
// dcb.*: data centre bridging settings of one network interface (RTM_GETDCB). Reading needs no privilege.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/host/socket.h"

namespace rd {

enum class DcbPart { pfc, ets, app, buffer, maxrate, dcbx };

class DcbReader {
public:
    DcbReader(DcbPart part, const std::string& netdev, std::string object);  // `object`: what errors name
    [[nodiscard]] Result<std::string> read();

private:
    DcbPart part_;
    std::string object_;
    Request request_;
    Replies replies_;
};

// `attributes` lie behind the dcbmsg header of the answer.
[[nodiscard]] Result<std::string> decode_dcb(DcbPart part, Bytes attributes, std::string_view object);

}  // namespace rd
