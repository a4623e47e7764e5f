// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/ingest/items.h"

#include <algorithm>

#include "core/base/text.h"

namespace rd::ingest {
namespace {

constexpr std::size_t kMostDepth = 32;
constexpr std::size_t kMostItems = 65'536;

std::string normal(std::string_view key) {
    std::string out(key);
    std::replace(out.begin(), out.end(), '-', '_');
    return out;
}

class Scanner {
public:
    explicit Scanner(std::string_view text) : text_(text) {}

    std::vector<Item> run() {
        while (at_ < text_.size() && found_.size() < kMostItems) step();
        while (!open_.empty()) close();
        return std::move(found_);
    }

private:
    void step() {
        const char c = text_[at_];
        if (c == '"') return take(string());
        if (c == '{' || c == '[') {
            if (c == '{') open_.emplace_back();
            if (open_.size() > kMostDepth) open_.pop_back();
            key_.reset();
        } else if (c == '}') {
            close();
        } else if (c == ']') {
            key_.reset();
        } else if (c == ',') {
            key_.reset();
        } else if (c != ':' && c > ' ') {
            return take(word());
        }
        ++at_;
    }

    std::string string() {
        std::string out;
        for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
            if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
            out += text_[at_];
        }
        ++at_;
        return out;
    }

    std::string word() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && std::string_view(",:{}[]\"").find(text_[at_]) == std::string_view::npos &&
               text_[at_] > ' ') {
            ++at_;
        }
        return std::string(text_.substr(begin, at_ - begin));
    }

    // A string before ':' is a key, what comes next its value.
    void take(std::string word) {
        std::size_t next = at_;
        while (next < text_.size() && (text_[next] == ' ' || text_[next] == '\t' || text_[next] == '\n')) ++next;
        const bool is_key = next < text_.size() && text_[next] == ':';
        if (is_key) {
            key_ = normal(word);
        } else if (key_ && !open_.empty()) {
            open_.back().set(*key_, word);
            key_.reset();
        }
    }

    void close() {
        if (open_.empty()) return;
        if (!open_.back().values.empty()) found_.push_back(std::move(open_.back()));
        open_.pop_back();
        key_.reset();
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::optional<std::string> key_;
    std::vector<Item> open_, found_;
};

}  // namespace

std::string_view Item::get(std::string_view key) const {
    const auto found = std::find_if(values.begin(), values.end(), [key](const auto& one) { return one.first == key; });
    return found == values.end() ? std::string_view() : std::string_view(found->second);
}

bool Item::has(std::string_view key) const { return !get(key).empty(); }

void Item::set(std::string_view key, std::string_view value) { values.emplace_back(key, value); }

std::vector<Item> json_items(std::string_view text) { return Scanner(text).run(); }

bool is_json_line(std::string_view line) {
    line = trim(line);
    return !line.empty() && std::string_view("[]{},\"").find(line.front()) != std::string_view::npos;
}

Item item_of(const std::vector<std::string_view>& row, std::size_t at) {
    Item item;
    for (; at + 1 < row.size(); at += 2) item.set(normal(row[at]), row[at + 1]);
    return item;
}

}  // namespace rd::ingest
