// SPDX-License-Identifier: GPL-2.0-or-later
// Cuts a text into sections, line by line, and hands each to its form. What is kept of a text of any size is the answers, one open
// section, and a few lines ahead.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/ingest/clean.h"
#include "core/ingest/command.h"
#include "core/ingest/form.h"
#include "core/ingest/host_text.h"
#include "core/ingest/ingest.h"
#include "core/ingest/prompt.h"

namespace rd::ingest {

class TextReader {
public:
    explicit TextReader(const IngestOptions& options) : options_(options) {}

    // A file of an archive, and the command that made it where that is known.
    void begin_file(std::string name, std::string_view command);
    void begin_command(std::string_view command);
    void end_file();
    // See HostText::one_moment.
    void one_moment() { one_moment_ = true; }
    void line(std::string text);
    // The host all that has no other name belongs to.
    HostText& host(const std::string& name);

    [[nodiscard]] Ingested finish(std::string_view source);

private:
    struct Numbered {
        std::string text;
        std::size_t number;
    };
    // Output of one host in the order of its lines. There are several at once where lines of many hosts are mixed.
    struct Stream {
        std::string host;
        const Form* form = nullptr;
        Section section;
        std::size_t bytes = 0;
        std::size_t blanks = 0;  // since the last line
        int command = -1;        // index of the command that the section is the output of
    };
    // What stands under one prompt.
    struct Block {
        CommandLine line;
        std::vector<std::vector<const Form*>> printed;  // by command: the forms it prints
        std::vector<Section> probes;                    // by command: an empty section of it
        std::size_t number = 0;                         // of the prompt
        std::vector<bool> answered;                     // by command: a section was opened for it
        bool any_output = false;
        bool wants_log = false;  // its command prints a log
        bool kernel_log = false;
        std::optional<bool> benchmark;  // one runs in it; whether a result was seen yet
    };
    struct Found {
        const Form* form = nullptr;
        int command = -1;
    };

    void pump(bool all);
    void process(const Numbered& line);
    bool process_structure(const Numbered& line);
    void process_output(Stream& stream, std::string_view text, std::size_t number,
                        std::span<const std::string_view> ahead);
    void begin_block(std::string_view command, std::size_t number);
    void begin_watch(const std::string& text, std::size_t number);
    void end_block();
    void enter(const std::string& host);
    void open(Stream& stream, const Found& found, std::size_t number);
    void close(Stream& stream);
    void append(Stream& stream, std::string_view text);
    [[nodiscard]] Found form_for(std::string_view text, bool after_blank,
                                 std::span<const std::string_view> ahead) const;
    // The command ran again, as in `X; sleep 10; X` and in loops: the line has the label of the section's first one.
    [[nodiscard]] bool begins_again(const Stream& stream, std::string_view text) const;
    [[nodiscard]] bool is_heading(const std::string& command, bool sure, std::string_view next) const;
    void unclaimed(Stream& stream, std::string_view text, std::size_t number);
    bool take_log(Stream& stream, std::string_view text);
    Stream& stream_of(const std::string& host);
    [[nodiscard]] std::vector<std::string_view> ahead(const std::string& prefix) const;

    const IngestOptions& options_;
    std::deque<Numbered> window_;
    std::size_t number_ = 0;
    std::size_t total_ = 0;
    std::string file_;
    std::string continued_;  // a prompt's command whose line ended in a backslash
    std::size_t continued_number_ = 0;

    std::vector<std::unique_ptr<HostText>> hosts_;
    std::string current_;  // host of what comes
    std::string outside_;  // host to go back to after `exit`
    Block block_;
    std::map<std::string, Stream> streams_;
    std::vector<Unrecognised> unrecognised_;
    std::size_t unrecognised_lines_ = 0;
    bool last_unclaimed_ = false;
    bool one_moment_ = false;
    std::vector<std::string> notes_;
};

}  // namespace rd::ingest
