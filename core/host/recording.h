// SPDX-License-Identifier: GPL-2.0-or-later
// Remembers everything that is asked of another host. Recording what the program really reads, instead of keeping a
// list of files by hand, is what makes a bundle complete by construction.
#pragma once

#include <memory>

#include "core/host/bundle.h"
#include "core/host/host.h"

namespace rd {

class RecordingHost final : public Host {
public:
    explicit RecordingHost(Host& inner);
    ~RecordingHost() override;
    RecordingHost(const RecordingHost&) = delete;
    RecordingHost& operator=(const RecordingHost&) = delete;

    [[nodiscard]] std::unique_ptr<Handle> open(std::string_view name) const override;
    [[nodiscard]] Result<std::vector<std::string>> list(std::string_view path) const override;
    [[nodiscard]] Result<std::string> link(std::string_view path) const override;
    [[nodiscard]] Result<> write(std::string_view name,
                                 std::string_view text) override;  // refused: a recording only reads
    [[nodiscard]] Stamp now() const override;
    [[nodiscard]] const HostIdentity& identity() const override;
    [[nodiscard]] bool advance(std::chrono::nanoseconds interval) override;  // closes the moment, opens the next

    // Everything until now. Answers that had not come back by then (hung reads) are recorded as timed out.
    [[nodiscard]] Bundle bundle() const;

    struct State;

private:
    Host& inner_;
    std::shared_ptr<State> state_;  // shared with handles whose reader may never return
};

}  // namespace rd
