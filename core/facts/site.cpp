// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/site.h"

#include <fmt/format.h>

#include <toml++/toml.h>

#include "core/base/text.h"

namespace rd {
namespace {

Error complaint(std::string_view origin, const toml::source_position& at, std::string_view what,
                std::string_view remedy) {
    return Error{Errc::bad_input, fmt::format("{}:{}:{}: {}", origin, at.line, at.column, what), std::string(remedy)};
}

class Reader {
public:
    Reader(std::string_view origin, Site& site) : origin_(origin), site_(site) {}

    Result<> top(const toml::table& table) {
        for (const auto& [key, node] : table) {
            if (key.str() == "intent") {
                const auto text = node.value<std::string>();
                if (!text || (*text != "lossless" && *text != "lossy")) {
                    return bad(node, "intent must be \"lossless\" or \"lossy\"");
                }
                site_.intent = *text;
            } else if (key.str() == "expect") {
                if (!node.is_table()) return bad(node, "expect must be a table: [expect]");
                if (auto done = expect(*node.as_table()); !done) return done;
            } else {
                return unknown(key, "intent, [expect]");
            }
        }
        return {};
    }

private:
    Result<> expect(const toml::table& table) {
        for (const auto& [key, node] : table) {
            if (key.str() == "devices") {
                const auto count = node.value_exact<std::int64_t>();
                if (!count || *count < 0 || *count > 4096)
                    return bad(node, "expect.devices must be a whole number, 0 to 4096");
                site_.expected_devices = *count;
            } else if (key.str() == "rate") {
                if (auto done = rate(node); !done) return done;
            } else if (key.str() == "roce_dscp") {
                const auto dscp = node.value_exact<std::int64_t>();
                if (!dscp || *dscp < 0 || *dscp > 63)
                    return bad(node, "expect.roce_dscp must be a whole number, 0 to 63");
                site_.roce_dscp = *dscp;
            } else if (key.str() == "firmware") {
                if (!node.is_table()) return bad(node, "expect.firmware must be a table: [expect.firmware]");
                if (auto done = firmware(*node.as_table()); !done) return done;
            } else {
                return unknown(key, "devices, rate, roce_dscp, [expect.firmware]");
            }
        }
        return {};
    }

    Result<> rate(const toml::node& node) {
        std::optional<double> gbits = node.value<double>();
        if (const auto text = node.value<std::string>(); text && node.is_string()) {
            const std::string_view word = trim(*text);
            const auto number = parse_number(word.ends_with('G') ? word.substr(0, word.size() - 1) : word);
            gbits = number ? std::optional(*number) : std::nullopt;
        }
        if (!gbits || !(*gbits > 0) || *gbits > 10000) {
            return bad(node, "expect.rate must be Gbit/s: 400 or \"400G\"");
        }
        site_.expected_rate = *gbits;
        return {};
    }

    Result<> firmware(const toml::table& table) {
        for (const auto& [board, node] : table) {
            const auto version = node.value_exact<std::string>();
            if (!version || version->empty() || version->find_first_not_of("0123456789.") != std::string::npos) {
                return bad(node, "a firmware version must be text such as \"28.39.1002\"");
            }
            site_.firmware.emplace(std::string(board.str()), *version);
        }
        return {};
    }

    Result<> bad(const toml::node& node, std::string_view what) const {
        return tl::unexpected<Error>(complaint(origin_, node.source().begin, what, ""));
    }
    Result<> unknown(const toml::key& key, std::string_view known) const {
        return tl::unexpected<Error>(complaint(origin_, key.source().begin, fmt::format("unknown key '{}'", key.str()),
                                               fmt::format("known here: {}", known)));
    }

    std::string_view origin_;
    Site& site_;
};

}  // namespace

Result<Site> parse_site(std::string_view text, std::string_view origin) {
    toml::table table;
    try {
        table = toml::parse(text, origin);
    } catch (const toml::parse_error& error) {
        return tl::unexpected<Error>(complaint(origin, error.source().begin, error.description(), ""));
    }
    Site site;
    if (auto done = Reader(origin, site).top(table); !done) return tl::unexpected<Error>(std::move(done.error()));
    return site;
}

}  // namespace rd
