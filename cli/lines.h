// SPDX-License-Identifier: GPL-2.0-or-later
// What lines of logs mean, for `explain`: the rules whose patterns they match, and the statuses, codes and events they give.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnosis/rulebook.h"
#include "core/diagnosis/terms/term.h"

namespace rd::cli {

struct LineMeaning {
    const Rule* rule = nullptr;
    Confidence confidence = Confidence::medium;
    Captures captures;
};

// Lines of one shape and meaning.
struct LineUse {
    std::string line;  // the first
    std::size_t count = 0;
    std::vector<LineMeaning> meanings;
    std::vector<std::string> terms;  // names of those that it gives
};

// Takes lines one by one; keeps a bounded number of different ones, however many come.
class Lines {
public:
    explicit Lines(const Rulebook& book) : book_(book) {}

    // Whether it means anything to us.
    bool add(std::string_view line);

    [[nodiscard]] std::size_t read() const { return read_; }
    [[nodiscard]] std::size_t known() const { return known_; }
    // Lines that mean something and differ from all that are kept.
    [[nodiscard]] std::size_t left_out() const { return left_out_; }
    [[nodiscard]] const std::vector<LineUse>& uses() const { return uses_; }
    [[nodiscard]] const std::vector<Term>& terms() const { return terms_; }

private:
    std::vector<std::string> note_terms(std::string_view line, const std::vector<LineMeaning>& meanings);

    const Rulebook& book_;
    std::size_t read_ = 0, known_ = 0, left_out_ = 0;
    std::vector<LineUse> uses_;
    std::vector<Term> terms_;  // each once, in order of the lines
    std::map<std::string, std::size_t> by_shape_;
};

// Of the standard input, to its end. False: it could not be read.
[[nodiscard]] Result<> read_standard_input(Lines& into);

}  // namespace rd::cli
