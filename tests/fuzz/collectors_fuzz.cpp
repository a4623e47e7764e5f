// SPDX-License-Identifier: GPL-2.0-or-later
// What the kernel, a driver or somebody's archive may answer to a collector. The input says which answer of a made host is changed and
// how: places where bytes are taken out and others put in, so that most of a real answer remains around the damage.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "collectors/all.h"
#include "core/facts/sweep.h"
#include "core/host/recording.h"
#include "tests/unit/collectors/hosts.h"

namespace {

using Hosts = std::vector<std::shared_ptr<rd::FakeHost> (*)()>;

const Hosts& hosts() {
    static const Hosts all{rd::collectors::test::roce_host, rd::collectors::test::roce_tree,
                           rd::collectors::test::rxe_host};
    return all;
}

void require(bool holds) {
    if (!holds) std::abort();
}

// All that a look at a host asks, with the answers; what it does not have too.
std::vector<std::pair<std::string, std::string>> asked_of(std::shared_ptr<rd::FakeHost> (*make)()) {
    const auto host = make();
    const auto recording = std::make_shared<rd::RecordingHost>(*host);
    {
        rd::Sweep sweep(recording, rd::collectors::all(), rd::collectors::derivations(), {});
        static_cast<void>(sweep.run(rd::Due::all));
    }
    std::vector<std::pair<std::string, std::string>> asked;
    const rd::Bundle bundle = recording->bundle();
    for (const auto& [name, answer] : bundle.moments.front().reads) asked.emplace_back(name, answer.value_or(""));
    return asked;
}

class Input {
public:
    Input(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
    [[nodiscard]] bool empty() const { return left_ == 0; }
    std::size_t byte() {
        if (left_ == 0) return 0;
        --left_;
        return *data_++;
    }
    std::size_t word() { return byte() << 8u | byte(); }
    std::string text(std::size_t most) {
        std::string out;
        while (!empty() && out.size() < most) out += static_cast<char>(byte());
        return out;
    }

private:
    const std::uint8_t* data_;
    std::size_t left_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::vector<std::vector<std::pair<std::string, std::string>>> asked = [] {
        std::vector<std::vector<std::pair<std::string, std::string>>> all;
        for (const auto make : hosts()) all.push_back(asked_of(make));
        return all;
    }();
    Input input(data, size);
    const std::size_t which = input.byte() % hosts().size();
    const auto& [name, answer] = asked[which][input.word() % asked[which].size()];
    std::string text = answer;
    while (!input.empty()) {
        const std::size_t place = input.word() % (text.size() + 1);
        const std::size_t out = input.byte();
        text.replace(place, std::min(out, text.size() - place), input.text(input.byte() % 32));
    }
    const auto host = hosts()[which]();
    host->file(name, text);
    rd::Sweep sweep(host, rd::collectors::all(), rd::collectors::derivations(), {});
    const rd::Snapshot snapshot = sweep.run(rd::Due::all);
    for (rd::SlotIndex slot = 0; slot < snapshot.layout().slot_count(); ++slot) {
        const rd::Reading* reading = snapshot.at(slot);
        require(reading == nullptr || *reading || !reading->error().reason.empty());
    }
    return 0;
}
