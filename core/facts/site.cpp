// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/site.h"

#include "core/base/text.h"
#include "core/facts/settings_reader.h"

namespace rd {
namespace {

Result<> take_intent(const Setting& setting, Site& site) {
    const auto text = setting.node.value<std::string>();
    if (!text || (*text != "lossless" && *text != "lossy")) return setting.must("be \"lossless\" or \"lossy\"");
    site.intent = *text;
    return {};
}

Result<> take_rate(const Setting& setting, Site& site) {
    std::optional<double> gbits = setting.node.value<double>();
    if (const auto text = setting.node.value<std::string>(); text && setting.node.is_string()) {
        const std::string_view word = trim(*text);
        const auto number = parse_number(word.ends_with('G') ? word.substr(0, word.size() - 1) : word);
        gbits = number ? std::optional(*number) : std::nullopt;
    }
    if (!gbits || !(*gbits > 0) || *gbits > 10000) return setting.must("be Gbit/s: 400 or \"400G\"");
    site.expected_rate = *gbits;
    return {};
}

// Its keys are boards, whatever they are called.
Result<> take_firmware(const Setting& setting, Site& site) {
    if (auto is = setting.is_table(); !is) return is;
    for (const auto& [board, node] : *setting.node.as_table()) {
        const auto version = node.value_exact<std::string>();
        if (!version || version->empty() || version->find_first_not_of("0123456789.") != std::string::npos) {
            return setting.complain(node, "a firmware version must be text such as \"28.39.1002\"");
        }
        site.firmware.emplace(std::string(board.str()), *version);
    }
    return {};
}

}  // namespace

Result<Site> parse_site(std::string_view text, std::string_view origin) {
    const auto file = parse_settings_file(text, origin);
    if (!file) return tl::unexpected(file.error());
    Site site;
    const auto expect = [&](const Setting& setting) {
        return setting.table({{"devices", whole_number_into(site.expected_devices, 0, 4096)},
                              {"rate", [&](const Setting& rate) { return take_rate(rate, site); }},
                              {"roce_dscp", whole_number_into(site.roce_dscp, 0, 63)},
                              {"firmware", [&](const Setting& boards) { return take_firmware(boards, site); }}});
    };
    // Of the same file, but not about the host: the daemon reads them, and says what is wrong in them.
    const auto daemons = [](const Setting& setting) { return setting.is_table(); };
    auto done = read_settings(*file, origin,
                              {{"intent", [&](const Setting& intent) { return take_intent(intent, site); }},
                               {"expect", expect},
                               {"daemon", daemons},
                               {"store", daemons},
                               {"api", daemons},
                               {"alerts", daemons}});
    if (!done) return tl::unexpected(std::move(done.error()));
    return site;
}

}  // namespace rd
