// SPDX-License-Identifier: GPL-2.0-or-later
// What sixteen ports of a training node count in some hours, made from a seed: the same samples go into the store and into a block of
// Prometheus, so that their sizes can be compared. The mix is that of a host under load, not one that suits an encoding: traffic
// counters move by amounts with a jitter of one per cent (their low bits are noise that nobody can compress), jobs begin and end,
// congestion and loss come in bursts, and most error counters stand still.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace rd::bench {

struct MadeSeries {
    std::string entity;  // "port/3", "netdev/3"
    std::string fact;
    int every_s = 1;  // how often it is read
    bool counter = true;
    std::int64_t value = 0;
    double per_s = 0;   // while a job runs
    double jitter = 0;  // of per_s, uniform
    double burst = 0;   // chance that a second has events
};

class MadeSamples {
public:
    explicit MadeSamples(std::uint64_t seed) : random_(seed) {
        for (int port = 0; port < 16; ++port) {
            const std::string id = std::to_string(port);
            const double packets = 2.6e6 + 1e4 * port;
            for (const char* way : {"rx", "tx"}) {
                add("port/" + id, std::string(way) + "_bytes", 1, packets * 4158, 0.01);
                add("port/" + id, std::string(way) + "_packets", 1, packets, 0.01);
                add("netdev/" + id, std::string(way) + "_bytes", 1, 4e5, 0.3);
                add("netdev/" + id, std::string(way) + "_packets", 1, 900, 0.3);
                for (int priority = 0; priority < 8; ++priority) {
                    const std::string of = "_prio" + std::to_string(priority);
                    add("port/" + id, way + of + "_bytes", 10,
                        priority == 3   ? packets * 4158
                        : priority == 0 ? 4e5
                                        : 0,
                        0.01);
                    add("port/" + id, way + of + "_pause", 10, priority == 3 ? 40 : 0, 1, 0.2);
                }
                add("netdev/" + id, std::string(way) + "_dropped", 1);
                add("netdev/" + id, std::string(way) + "_errors", 1);
            }
            for (const char* rare : {"np_cnp_sent", "rp_cnp_handled", "np_ecn_marked_roce_packets"}) {
                add("port/" + id, rare, 1, 300, 1, 0.1);
            }
            for (const char* rare : {"out_of_sequence", "packet_seq_err", "local_ack_timeout_err"}) {
                add("port/" + id, rare, 1, 4, 1, 0.002);
            }
            for (const char* still : {"duplicate_request", "implied_nak_seq_err", "rnr_nak_retry_err", "req_cqe_error",
                                      "req_cqe_flush_error", "req_remote_access_errors", "resp_cqe_error",
                                      "resp_local_length_error", "rx_atomic_requests", "roce_adp_retrans",
                                      "rx_icrc_encapsulated", "lifespan_resets", "symbol_errors", "link_downed"}) {
                add("port/" + id, still, 1);
            }
            series_.push_back({"netdev/" + id, "module_temperature", 60, false, 52, 0, 0, 0});
        }
    }

    [[nodiscard]] const std::vector<MadeSeries>& series() const { return series_; }

    // The next second. A series has a sample in it when `second() % every_s` is 0.
    void step() {
        ++second_;
        if (second_ % 900 == 1) running_ = uniform() < 0.8;
        for (MadeSeries& one : series_) {
            if (!one.counter) {
                if (second_ % one.every_s == 0) one.value += std::int64_t(uniform() * 3) - 1;
            } else if (one.per_s > 0 && (one.burst == 0 ? (running_ || one.per_s < 1e6) : uniform() < one.burst)) {
                one.value += std::int64_t(one.per_s * (1 + one.jitter * (2 * uniform() - 1)));
            }
        }
    }
    [[nodiscard]] int second() const { return second_; }

private:
    void add(std::string entity, std::string fact, int every_s, double per_s = 0, double jitter = 0, double burst = 0) {
        series_.push_back({std::move(entity), std::move(fact), every_s, true, per_s > 1e6 ? 4'000'000'000'000 : 0,
                           per_s, jitter, burst});
    }
    double uniform() { return double(random_() >> 11) * 0x1p-53; }

    std::mt19937_64 random_;
    std::vector<MadeSeries> series_;
    int second_ = 0;
    bool running_ = true;
};

}  // namespace rd::bench
