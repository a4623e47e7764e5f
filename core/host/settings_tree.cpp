// SPDX-License-Identifier: GPL-2.0-or-later
#include <yaml.h>

#include <toml++/toml.h>
#include <algorithm>
#include <memory>
#include <string>

#include "core/base/text.h"
#include "core/host/settings_formats.h"

namespace rd {
namespace {

constexpr std::size_t kDeepest = 64;
constexpr std::size_t kMostEvents = 200'000;

std::string at_line(std::size_t line) { return "line " + std::to_string(line); }

// --- yaml ----------------------------------------------------------------------------------------------------------------

struct DeleteParser {
    void operator()(yaml_parser_t* parser) const { yaml_parser_delete(parser); }
};

// A mapping whose next scalar is a key or its value, or a sequence.
struct Frame {
    bool mapping = false;
    bool expects_key = true;
    std::size_t index = 0;
};

class YamlReader {
public:
    YamlReader(std::string_view name, const SettingSink& take) : path_(name), take_(take) {}

    Result<> read(std::string_view text) {
        yaml_parser_t parser;
        if (yaml_parser_initialize(&parser) == 0) return fail(Errc::io, "no memory");
        const std::unique_ptr<yaml_parser_t, DeleteParser> owner(&parser);
        yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text.data()), text.size());
        for (std::size_t count = 0; count < kMostEvents; ++count) {
            yaml_event_t event;
            if (yaml_parser_parse(&parser, &event) == 0) {
                return fail(Errc::bad_input, "not YAML or JSON: " + at_line(parser.problem_mark.line + 1));
            }
            const yaml_event_type_t type = event.type;
            if (type == YAML_SCALAR_EVENT) {
                scalar({reinterpret_cast<const char*>(event.data.scalar.value), event.data.scalar.length});
            }
            yaml_event_delete(&event);
            if (type == YAML_STREAM_END_EVENT || type == YAML_DOCUMENT_END_EVENT) return {};
            const bool begins = type == YAML_MAPPING_START_EVENT || type == YAML_SEQUENCE_START_EVENT;
            if ((begins || type == YAML_ALIAS_EVENT) && at_key()) return fail(Errc::bad_input, "a key that is no text");
            if (type == YAML_ALIAS_EVENT) {
                before_value();
                after_value();
            }
            if (begins) {
                before_value();
                frames_.push_back({type == YAML_MAPPING_START_EVENT});
                if (frames_.size() > kDeepest) return fail(Errc::limit, "nested more than 64 deep");
            }
            if (type == YAML_MAPPING_END_EVENT || type == YAML_SEQUENCE_END_EVENT) {
                frames_.pop_back();
                after_value();
            }
        }
        return fail(Errc::limit, "more than 200,000 values");
    }

private:
    [[nodiscard]] bool at_key() const {
        return !frames_.empty() && frames_.back().mapping && frames_.back().expects_key;
    }
    // The key was entered when it was read; an element of a sequence has its number only.
    void before_value() {
        if (!frames_.empty() && !frames_.back().mapping) path_.enter(frames_.back().index++);
    }
    void after_value() {
        if (frames_.empty()) return;
        path_.leave();
        if (frames_.back().mapping) frames_.back().expects_key = true;
    }
    void scalar(std::string_view value) {
        if (at_key()) {
            path_.enter(value);
            frames_.back().expects_key = false;
            return;
        }
        before_value();
        if (path_.matches()) take_(path_.text(), value);
        after_value();
    }

    SettingPath path_;
    const SettingSink& take_;
    std::vector<Frame> frames_;
};

// --- toml ----------------------------------------------------------------------------------------------------------------

class TomlWalker {
public:
    TomlWalker(std::string_view name, const SettingSink& take) : path_(name), take_(take) {}

    void walk(const toml::node& node) {
        if (const toml::table* const table = node.as_table()) {
            for (const auto& [key, value] : *table) {
                path_.enter(key.str());
                walk(value);
                path_.leave();
            }
        } else if (const toml::array* const array = node.as_array()) {
            std::size_t index = 0;
            for (const toml::node& element : *array) {
                path_.enter(index++);
                walk(element);
                path_.leave();
            }
        } else if (path_.matches()) {
            leaf(node);
        }
    }

private:
    void leaf(const toml::node& node) {
        if (const auto text = node.value_exact<std::string>()) return take_(path_.text(), *text);
        if (const auto number = node.value_exact<std::int64_t>()) return take_(path_.text(), std::to_string(*number));
        if (const auto flag = node.value_exact<bool>()) return take_(path_.text(), *flag ? "true" : "false");
    }

    SettingPath path_;
    const SettingSink& take_;
};

}  // namespace

SettingPath::SettingPath(std::string_view wanted) {
    for (const std::string_view part : split(wanted, '.')) wanted_.emplace_back(part);
}

bool SettingPath::matches() const {
    std::size_t left = wanted_.size();
    for (auto part = parts_.rbegin(); part != parts_.rend() && left > 0; ++part) {
        if (part->index) continue;
        if (part->text != wanted_[--left]) return false;
    }
    return left == 0;
}

std::string SettingPath::text() const {
    std::string text;
    for (const Part& part : parts_) text += (text.empty() ? "" : ".") + part.text;
    return text;
}

Result<> read_yaml(std::string_view text, std::string_view name, const SettingSink& take) {
    return YamlReader(name, take).read(text);
}

Result<> read_toml(std::string_view text, std::string_view name, const SettingSink& take) {
    try {
        const toml::table table = toml::parse(text);
        TomlWalker(name, take).walk(table);
        return {};
    } catch (const toml::parse_error& error) {
        return fail(Errc::bad_input, "not TOML: " + at_line(error.source().begin.line));
    }
}

}  // namespace rd
