// SPDX-License-Identifier: GPL-2.0-or-later
// Metrics as text, in either of the two forms that are asked for. OpenMetrics is what Prometheus asks for by itself; the older text
// form is what node_exporter's textfile collector and promtool read, and OpenMetrics text is none of it (there is no type "info", and a
// counter is declared with its _total).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rd::daemon {

enum class Form : std::uint8_t { open_metrics, prometheus };
enum class Shape : std::uint8_t { gauge, counter, info };

using Labels = std::vector<std::pair<std::string, std::string>>;  // an empty value is no label at all

class Exposition {
public:
    struct Family {
        Shape shape = Shape::gauge;
        std::string unit, help;  // `unit` is also the end of the name
        std::map<std::string, std::string>
            samples;  // value by labels: a sample that is there twice spoils the whole scrape
    };

    // `name` without _total and _info. Declared anew it is the same.
    Family& family(const std::string& name, Shape shape, std::string_view unit, std::string_view help);
    static void add(Family& to, const Labels& labels, std::int64_t value);
    static void add(Family& to, const Labels& labels, double value);

    // Families in order of name, samples in order of labels; those without samples are left out.
    [[nodiscard]] std::string text(Form form) const;
    [[nodiscard]] const std::map<std::string, Family>& families() const { return families_; }

private:
    std::map<std::string, Family> families_;
};

}  // namespace rd::daemon
