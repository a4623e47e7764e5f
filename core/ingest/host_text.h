// SPDX-License-Identifier: GPL-2.0-or-later
// What a text says of one host, section after section, and the bundle that comes of it: what does not count is the same at every
// moment; of what counts each moment has its own reading, and what was read once is there at the last one only, for a copy of it
// would say that nothing moved.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/ingest/answers.h"
#include "core/ingest/counters.h"
#include "core/ingest/dates.h"
#include "core/ingest/form.h"
#include "core/ingest/ingest.h"
#include "core/ingest/log_store.h"

namespace rd::ingest {

class HostText {
public:
    explicit HostText(std::string name) : name_(std::move(name)) {}

    [[nodiscard]] const std::string& name() const { return name_; }
    void rename(std::string name) { name_ = std::move(name); }
    // Nothing that could be judged.
    [[nodiscard]] bool empty() const;

    void take(const Section& section, const Form& form, const Answers& answers);
    // A file or a link as it lies in a copy of the host.
    void file(std::string_view path, std::string text);
    void link(std::string_view path, std::string_view target);
    // What is there twice is there twice, and not a later reading: of archives, whose files were written at one time.
    void one_moment() { one_moment_ = true; }
    void printed_at(const TimeText& time);
    void slept(std::int64_t ns) { now_.slept_ns += ns; }
    [[nodiscard]] LogStore& logs() { return logs_; }

    [[nodiscard]] IngestedHost finish(std::string_view source);

private:
    struct State {
        Piece piece;
        std::size_t line = 0;
        std::string form;
    };
    void count(Readings::Key key, std::string value);
    Record without_counters(const std::string& name, const std::string& key, const Record& from);
    void take_piece(const std::string& name, const Piece& piece, const Section& section, const Form& form);
    void take_state(const std::string& name, Piece piece, const Section& section, const Form& form);
    void take_places_from_names(const std::set<std::string>& paths);
    // A file that the text does not show, as what it shows tells it to be.
    void suppose(const std::string& path, std::string text, std::set<std::string>& paths);
    // link_layer.cpp
    void take_link_layers(std::set<std::string>& paths);
    // lone_adapter.cpp
    [[nodiscard]] std::vector<std::string> adapters_shown() const;
    [[nodiscard]] std::vector<std::string> interfaces_shown(const std::set<std::string>& netdevs) const;
    [[nodiscard]] std::string port_without_interface(const std::set<std::string>& paths) const;
    void take_lone_interface(std::set<std::string>& paths, const std::set<std::string>& netdevs);
    void take_lone_adapter(std::set<std::string>& paths, const std::set<std::string>& netdevs);
    void take_identity(const Answers::Identity& identity);
    void take_logs(const Answers& answers);
    void contradiction(const std::string& name, const State& before, const Section& section);
    void note(std::string text);

    std::string name_;
    Mark now_;
    std::map<std::string, State, std::less<>> state_;
    std::map<std::string, std::string, std::less<>> links_;
    std::map<std::string, Error, std::less<>> failed_links_;
    std::map<std::string, std::vector<std::string>, std::less<>> lists_;
    std::vector<std::string> existing_;
    Readings readings_;
    Answers::Identity identity_;
    LogStore logs_;
    std::vector<Recognised> recognised_;
    std::vector<std::string> notes_;
    std::size_t contradictions_ = 0;
    std::size_t bytes_ = 0;
    bool one_moment_ = false;
};

// All that is kept of one text; what is recognised beyond it is left out, and said.
inline constexpr std::size_t kMostTextBytes = 64u << 20;

}  // namespace rd::ingest
