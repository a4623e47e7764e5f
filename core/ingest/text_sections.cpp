// SPDX-License-Identifier: GPL-2.0-or-later
// The other half of TextReader: which form a line belongs to, and what becomes of those that belong to none.
#include <algorithm>

#include "core/base/text.h"
#include "core/ingest/answers.h"
#include "core/ingest/log_line.h"
#include "core/ingest/text_reader.h"
#include "core/ingest/unwrap.h"

namespace rd::ingest {
namespace {

constexpr std::size_t kMostSectionBytes = 8u << 20;
constexpr std::size_t kMostUnrecognised = 200;
constexpr std::size_t kMostWords = 60;
// Stands before what went wrong in a benchmark that has printed no result; rules know it.
const std::string kBeforeResults = "before the first result: ";

std::int64_t slept_ns(const CommandLine& line) {
    constexpr double kLongest = 1e6;
    return line.slept_s > 0 && line.slept_s < kLongest ? static_cast<std::int64_t>(line.slept_s * 1e9) : 0;
}

std::string first_words(std::string_view text) { return printable(trim(text), kMostWords); }

}  // namespace

// --- sections ----------------------------------------------------------------------------------------------------------------

TextReader::Found TextReader::form_for(std::string_view text, bool after_blank,
                                       std::span<const std::string_view> lines) const {
    // Commands that have no output yet come first.
    for (const bool answered : {false, true}) {
        for (std::size_t i = 0; i < block_.line.commands.size(); ++i) {
            if (block_.answered[i] != answered) continue;
            for (const Form* form : block_.printed[i]) {
                // Of one that has printed already, only what looks like it by itself: a line that its form did not know may have
                // stood between.
                if (answered && (form->begins == nullptr || form->begins(lines) == Fit::none)) continue;
                if (form->continues(block_.probes[i], {text, after_blank})) return {form, static_cast<int>(i)};
            }
        }
    }
    Found best;
    // Under a command that no form knows, a line must say more than "name: number".
    Fit least = block_.line.commands.empty() ? Fit::none : Fit::weak;
    for (const auto& group : all_forms()) {
        for (const Form& form : group) {
            if (form.begins == nullptr) continue;
            const Fit fit = form.begins(lines);
            if (fit <= least) continue;
            least = fit;
            best.form = &form;
        }
    }
    if (best.form == nullptr || best.form->prints == nullptr) return best;
    for (std::size_t i = 0; i < block_.line.commands.size(); ++i) {
        if (best.form->prints(block_.line.commands[i])) best.command = static_cast<int>(i);
    }
    return best;
}

void TextReader::open(Stream& stream, const Found& found, std::size_t number) {
    stream.form = found.form;
    stream.command = found.command;
    stream.section = {};
    stream.section.file = file_;
    stream.section.first_line = number;
    stream.bytes = 0;
    if (found.command >= 0) {
        const auto at = static_cast<std::size_t>(found.command);
        stream.section.command = block_.line.commands[at];
        stream.section.first = !block_.any_output;
        block_.answered[at] = true;
        block_.probes[at].first = false;
    }
}

void TextReader::append(Stream& stream, std::string_view text) {
    if (!stream.section.empty()) {
        for (; stream.blanks > 0; --stream.blanks) stream.section.lines.emplace_back();
    }
    stream.blanks = 0;
    stream.bytes += text.size() + sizeof(std::string);
    stream.section.lines.emplace_back(text);
}

void TextReader::close(Stream& stream) {
    if (stream.form == nullptr) return;
    Answers answers;
    stream.form->parse(stream.section, answers);
    if (answers.benchmark()) block_.benchmark = block_.benchmark.value_or(false) || *answers.benchmark();
    host(stream.host).take(stream.section, *stream.form, answers);
    stream.form = nullptr;
    stream.section = {};
    stream.bytes = 0;
}

// Whether what looks like a command line stands over its output.
bool TextReader::is_heading(const std::string& command, bool sure, std::string_view next) const {
    const CommandLine line = parse_command_line(command);
    for (const Command& each : line.commands) {
        if (sure && prints_log(each)) return true;
        for (const auto& group : all_forms()) {
            for (const Form& form : group) {
                if (form.prints == nullptr || !form.prints(each)) continue;
                Section probe;
                probe.command = each;
                if (sure || form.continues(probe, {next, false})) return true;
            }
        }
    }
    return false;
}

bool TextReader::begins_again(const Stream& stream, std::string_view text) const {
    if (stream.section.empty() || stream.command < 0) return false;
    const auto label = [](std::string_view line) { return trim(line.substr(0, line.find_first_of(":="))); };
    const std::string_view first = stream.section.lines.front();
    if (first.find_first_of(":=") == std::string_view::npos || label(first).empty() || label(text) != label(first))
        return false;
    if (block_.line.slept_s > 0) return true;
    for (std::size_t i = 0; i < block_.answered.size(); ++i) {
        const auto& printed = block_.printed[i];
        if (!block_.answered[i] && std::find(printed.begin(), printed.end(), stream.form) != printed.end()) return true;
    }
    return false;
}

void TextReader::process_output(Stream& stream, std::string_view text, std::size_t number,
                                std::span<const std::string_view> lines) {
    const bool after_blank = stream.blanks > 0;
    if (stream.form != nullptr && begins_again(stream, text)) {
        const Found same{stream.form, stream.command};
        close(stream);
        host(stream.host).slept(slept_ns(block_.line));
        const Found found = form_for(text, after_blank, lines);
        open(stream, found.form == same.form ? found : same, number);
        return append(stream, text);
    }
    if (stream.form != nullptr) {
        if (stream.bytes < kMostSectionBytes && stream.form->continues(stream.section, {text, after_blank})) {
            return append(stream, text);
        }
        close(stream);
    }
    if (const Found found = form_for(text, after_blank, lines); found.form != nullptr) {
        open(stream, found, number);
        block_.any_output = true;
        last_unclaimed_ = false;
        return append(stream, text);
    }
    if (!block_.line.many_hosts) {
        if (const auto heading = command_heading_of(text)) {
            const auto next = std::find_if(lines.begin() + 1, lines.end(), [](std::string_view each) {
                return !trim(each).empty() && !is_fence(each);
            });
            if (is_heading(heading->command, heading->sure, next == lines.end() ? std::string_view() : *next)) {
                end_block();
                return begin_block(heading->command, number);
            }
        }
    }
    stream.blanks = 0;
    if (!block_.wants_log) block_.any_output = true;
    unclaimed(stream, text, number);
}

// --- what no form takes --------------------------------------------------------------------------------------------------------

bool TextReader::take_log(Stream& stream, std::string_view text) {
    const bool wanted = options_.log_of_interest && options_.log_of_interest(text);
    auto line = log_line_of(text);
    const bool is_log = line.has_value();
    if (!line && !wanted && !block_.wants_log && !is_trouble(text)) {
        // NCCL's own lines carry neither time nor level that others use.
        if (text.find("] NCCL INFO ") == std::string_view::npos) return false;
        host(stream.host).logs().fine();
        return true;
    }
    if (!line) {
        line = LogLine{};
        line->text = trim(text);
        line->kernel = block_.kernel_log;
        line->source = std::string(source_of(text));
    }
    if (line->kernel) {
        if (wanted || is_kernel_of_interest(line->text)) host(stream.host).logs().kernel(*line);
        return true;
    }
    if (!wanted && !is_trouble(text)) {
        if (is_log) host(stream.host).logs().fine();
        return is_log || block_.wants_log;
    }
    const bool before_results = !block_.benchmark.value_or(true);
    host(stream.host)
        .logs()
        .application(*line, before_results ? kBeforeResults + std::string(trim(text)) : std::string(text));
    return true;
}

void TextReader::unclaimed(Stream& stream, std::string_view text, std::size_t number) {
    if (take_log(stream, text)) {
        last_unclaimed_ = false;
        return;
    }
    ++unrecognised_lines_;
    if (last_unclaimed_ && !unrecognised_.empty()) {
        ++unrecognised_.back().lines;
        return;
    }
    last_unclaimed_ = true;
    if (unrecognised_.size() >= kMostUnrecognised) return;
    const bool of_command = !block_.line.commands.empty();
    unrecognised_.push_back(
        {file_, number, 1, of_command ? "$ " + first_words(block_.line.commands.front().text) : first_words(text)});
}

Ingested TextReader::finish(std::string_view source) {
    end_file();
    Ingested out;
    for (const auto& each : hosts_) {
        if (!each->empty()) out.hosts.push_back(each->finish(source));
    }
    out.unrecognised = std::move(unrecognised_);
    out.unrecognised_lines = unrecognised_lines_;
    out.lines = total_;
    out.notes = std::move(notes_);
    return out;
}

Ingested ingest_text(std::string_view text, const IngestOptions& options) {
    const std::string decoded = is_utf16(text) ? from_utf16(text) : std::string();
    TextReader reader(options);
    LineReader lines([&](std::string line) { reader.line(std::move(line)); });
    lines.feed(unwrapped(decoded.empty() ? text : std::string_view(decoded)));
    lines.end();
    return reader.finish("text");
}

}  // namespace rd::ingest
