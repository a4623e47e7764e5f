// SPDX-License-Identifier: GPL-2.0-or-later
// Lines as people paste them, made fit to be read: what terminals, mails, chats and web pages add is taken off.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace rd::ingest {

// A longer line is cut; nothing that is recognised is as long.
inline constexpr std::size_t kLongestLine = 64u << 10;

// Without colour codes and other escape sequences, byte order mark, what a carriage return overwrote, zero-width characters and
// white space at the end. Non-breaking and typographic spaces are spaces, typographic quotes and dashes plain ones; bytes that are
// no UTF-8, and control characters, are '?'.
[[nodiscard]] std::string clean_line(std::string_view raw);

// Calls `take` with each cleaned line of a text that comes in blocks of any size.
class LineReader {
public:
    explicit LineReader(std::function<void(std::string)> take) : take_(std::move(take)) {}
    void feed(std::string_view block);
    void end();  // the last line may have no line end

private:
    void keep(std::string_view part);

    std::function<void(std::string)> take_;
    std::string rest_;
};

// Text in UTF-16 with its byte order mark, as some systems save it, in UTF-8; other text as it is.
[[nodiscard]] bool is_utf16(std::string_view start);
[[nodiscard]] std::string from_utf16(std::string_view text);

}  // namespace rd::ingest
