// SPDX-License-Identifier: GPL-2.0-or-later
// A host for watching hours in minutes.
#pragma once

#include <cstdint>

#include "tests/unit/support/passing_host.h"

namespace rd::bench {

// Its seconds pass as fast as somebody looks.
class HurriedHost : public PassingHost {
public:
    using PassingHost::PassingHost;
    [[nodiscard]] Stamp now() const override { return now_; }
    void pass(std::int64_t ns) {
        now_.boot_ns += ns;
        now_.wall_ns += ns;
    }

private:
    Stamp now_{3'600'000'000'000, 1'700'000'000'000'000'000};
};

}  // namespace rd::bench
