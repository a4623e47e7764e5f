// SPDX-License-Identifier: GPL-2.0-or-later
// A hurried host on which jobs come and go, as a scheduler starts them all day.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/bench/hurried_host.h"

namespace rd::bench {

// Every ten seconds a process begins that has a context of `device` for forty seconds. The counters of its lifetime move.
class BusyHost final : public HurriedHost {
public:
    BusyHost(std::shared_ptr<Host> inner, std::string device)
        : HurriedHost(std::move(inner)), contexts_("rdma.ctx/" + std::move(device)) {}

    [[nodiscard]] std::unique_ptr<Handle> open(std::string_view name) const override {
        auto answer = text_of(name);
        return answer ? std::make_unique<Said>(std::move(*answer)) : HurriedHost::open(name);
    }
    [[nodiscard]] Result<std::vector<std::string>> list(std::string_view path) const override {
        const auto [pid, what] = file_of(path);
        if (what == "task") return std::vector<std::string>{std::to_string(pid)};
        if (what == "fd") return std::vector<std::string>{"0", "1", "2"};
        return HurriedHost::list(path);
    }
    [[nodiscard]] std::int64_t begun() const { return newest() - kFirst; }

private:
    static constexpr std::int64_t kFirst = 1000, kEvery = 10'000'000'000;
    static constexpr int kAtATime = 4;

    class Said final : public Handle {
    public:
        explicit Said(std::string text) : text_(std::move(text)) {}
        [[nodiscard]] Result<> read(Buffer& into) override {
            into.assign(text_);
            return {};
        }

    private:
        std::string text_;
    };

    [[nodiscard]] std::int64_t newest() const { return kFirst + (now().boot_ns - start_) / kEvery; }
    // "/proc/PID/WHAT" of one that runs.
    [[nodiscard]] std::pair<std::int64_t, std::string_view> file_of(std::string_view path) const {
        constexpr std::string_view kProc = "/proc/";
        std::int64_t pid = 0;
        if (!path.starts_with(kProc)) return {};
        const char* const end = path.data() + path.size();
        const char* const rest = std::from_chars(path.data() + kProc.size(), end, pid).ptr;
        if (rest == end || *rest != '/' || pid > newest() || pid <= newest() - kAtATime) return {};
        return {pid, {rest + 1, end}};
    }
    [[nodiscard]] std::optional<std::string> text_of(std::string_view name) const {
        std::string text;
        if (name.starts_with("rdma.ctx/")) {
            for (int i = 0; name == contexts_ && i < kAtATime; ++i)
                text += fmt::format("ctxn={} pid={}\n", i, newest() - i);
            return text;
        }
        if (name.starts_with("proc.env/")) return "NCCL_IB_HCA=mlx5\nNCCL_IB_GID_INDEX=3\n";
        const auto [pid, what] = file_of(name);
        if (what == "status") {
            return fmt::format(
                "Name:\tjob\nPid:\t{}\nUid:\t1000\t1000\t1000\t1000\nVmPin:\t{} kB\nCapEff:\t0000000000000000\n"
                "CapBnd:\t000001ffffffffff\nCpus_allowed_list:\t0-31\n",
                pid, 4 * (now().boot_ns / 1'000'000'000));
        }
        if (what == "limits") return "Limit Soft Limit Hard Limit Units\nMax locked memory unlimited unlimited bytes\n";
        if (what == "cgroup") return fmt::format("0::/jobs/{}\n", pid);
        if (what.ends_with("/schedstat")) return fmt::format("{} {} 7\n", now().boot_ns / 3, now().boot_ns / 100 + pid);
        return std::nullopt;
    }

    std::string contexts_;
    std::int64_t start_ = now().boot_ns;
};

}  // namespace rd::bench
