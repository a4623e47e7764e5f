// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/ingest/text_reader.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/ingest/answers.h"

namespace rd::ingest {
namespace {

constexpr std::size_t kMostHosts = 256;

bool is_container(std::string_view host) {
    return host.size() == 12 && std::all_of(host.begin(), host.end(),
                                            [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::vector<const Form*> forms_of(const Command& command) {
    std::vector<const Form*> found;
    for (const auto& group : all_forms()) {
        for (const Form& form : group) {
            if (form.prints != nullptr && form.prints(command)) found.push_back(&form);
        }
    }
    return found;
}

}  // namespace

// --- hosts -------------------------------------------------------------------------------------------------------------------

HostText& TextReader::host(const std::string& name) {
    for (const auto& host : hosts_) {
        if (host->name() == name) return *host;
    }
    // What came before the first name belongs to it.
    if (hosts_.size() == 1 && hosts_.front()->name().empty()) {
        hosts_.front()->rename(name);
        if (auto moved = streams_.extract(""); !moved.empty()) {
            moved.key() = name;
            moved.mapped().host = name;
            streams_.insert(std::move(moved));
        }
        return *hosts_.front();
    }
    if (hosts_.size() >= kMostHosts) return *hosts_.back();
    HostText& added = *hosts_.emplace_back(std::make_unique<HostText>(name));
    if (one_moment_) added.one_moment();
    return added;
}

TextReader::Stream& TextReader::stream_of(const std::string& host) {
    auto [at, added] = streams_.try_emplace(host);
    if (added) at->second.host = host;
    return at->second;
}

void TextReader::enter(const std::string& name) {
    if (name.empty() || is_container(name) || name == "localhost") return;
    if (name != current_) {
        end_block();
        (void)host(name);
    }
    current_ = name;
}

// --- lines -------------------------------------------------------------------------------------------------------------------

void TextReader::begin_file(std::string name, std::string_view command) {
    file_ = std::move(name);
    number_ = 0;
    if (!command.empty()) begin_block(command, 1);
}

void TextReader::begin_command(std::string_view command) {
    ++number_;
    begin_block(command, number_);
}

void TextReader::end_file() {
    pump(true);
    end_block();
    for (auto& [name, stream] : streams_) stream.blanks = 0;
    last_unclaimed_ = false;
    file_.clear();
}

void TextReader::line(std::string text) {
    ++total_;
    window_.push_back({std::move(text), ++number_});
    pump(false);
}

void TextReader::pump(bool all) {
    while (window_.size() > (all ? 0 : kAhead - 1)) {
        const Numbered line = std::move(window_.front());
        window_.pop_front();
        process(line);
    }
}

std::vector<std::string_view> TextReader::ahead(const std::string& prefix) const {
    std::vector<std::string_view> out;
    for (const Numbered& line : window_) {
        std::string_view text = line.text;
        if (!prefix.empty()) {
            const std::size_t length = host_prefix_of(text);
            if (length == 0 || text.substr(0, length) != prefix) continue;
            text.remove_prefix(std::min(length + 2, text.size()));
        }
        out.push_back(text);
    }
    return out;
}

void TextReader::process(const Numbered& line) {
    if (process_structure(line)) return;
    std::string_view text = line.text;
    if (block_.line.many_hosts) {
        if (const std::size_t length = host_prefix_of(text); length > 0) {
            const std::string prefix(text.substr(0, length));
            const std::string name = prefix.substr(0, prefix.find('.'));
            (void)host(name);
            text.remove_prefix(std::min(length + 2, text.size()));
            std::vector<std::string_view> lines = ahead(prefix);
            lines.insert(lines.begin(), text);
            return process_output(stream_of(name), text, line.number, lines);
        }
    }
    Stream& stream = stream_of(block_.line.host.empty() ? current_ : block_.line.host);
    if (trim(text).empty()) {
        ++stream.blanks;
        return;
    }
    std::vector<std::string_view> lines = ahead({});
    lines.insert(lines.begin(), text);
    process_output(stream, text, line.number, lines);
}

// Prompts, headings, fences and times. False: the line is output.
bool TextReader::process_structure(const Numbered& line) {
    const std::string_view text = line.text;
    if (!continued_.empty()) {
        continued_ += ' ';
        continued_ += trim(text);
        if (continued_.back() == '\\' && continued_.size() < 4096) {
            continued_.pop_back();
            return true;
        }
        begin_block(std::exchange(continued_, {}), continued_number_);
        return true;
    }
    if (trim(text).empty()) return false;
    if (is_fence(text)) {
        // "`ethtool -S eth2`:" stands before the fence of its output.
        if (block_.any_output || block_.line.commands.empty()) end_block();
        return true;
    }
    if (const auto prompt = prompt_of(text)) {
        end_block();
        enter(prompt->host);
        std::string_view front = trim(text);  // "[10:22:33] root@host1:~# …"
        if (starts_with(front, "[")) front.remove_prefix(1);
        if (const auto shown = time_at_front(front)) host(current_).printed_at(*shown);
        if (!prompt->command.empty() && prompt->command.back() == '\\') {
            continued_ = std::string(prompt->command.substr(0, prompt->command.size() - 1));
            continued_number_ = line.number;
            return true;
        }
        begin_block(prompt->command, line.number);
        return true;
    }
    if (const auto name = host_heading_of(text)) {
        end_block();
        enter(*name);
        return true;
    }
    if (const auto watch = watch_head_of(text)) {
        end_block();
        enter(watch->host);
        if (watch->time.length > 0) host(current_).printed_at(watch->time);
        begin_block(watch->command, line.number);
        return true;
    }
    const bool in_section =
        std::any_of(streams_.begin(), streams_.end(), [](const auto& each) { return each.second.form != nullptr; });
    std::optional<TimeText> time = time_line_of(text);
    const auto pause = time ? std::nullopt : pause_of(text);
    if (time || pause) {
        // What comes is read anew, from the same commands.
        Stream& stream = stream_of(block_.line.host.empty() ? current_ : block_.line.host);
        if (in_section) close(stream);
        block_.answered.assign(block_.line.commands.size(), false);
        HostText& whose = host(stream.host);
        if (time) whose.printed_at(*time);
        if (pause) whose.slept(*pause);
        last_unclaimed_ = false;
        return true;
    }
    return false;
}

// --- blocks ------------------------------------------------------------------------------------------------------------------

void TextReader::begin_block(std::string_view command, std::size_t number) {
    block_ = {};
    block_.number = number;
    last_unclaimed_ = false;
    const std::string_view word = trim(command);
    if (word == "exit" || word == "logout") {
        current_ = std::exchange(outside_, {});
        return;
    }
    block_.line = parse_command_line(command);
    block_.answered.assign(block_.line.commands.size(), false);
    for (const Command& each : block_.line.commands) {
        block_.printed.push_back(forms_of(each));
        block_.probes.emplace_back().command = each;
        block_.wants_log = block_.wants_log || prints_log(each);
        block_.kernel_log = block_.kernel_log || prints_kernel_log(each);
    }
    if (!block_.line.host.empty()) {
        const std::string remote = block_.line.host.substr(0, block_.line.host.find('.'));
        if (block_.line.commands.empty()) {
            outside_ = current_;
            block_.line.host.clear();
            current_ = remote;
        } else {
            block_.line.host = remote;
        }
        (void)host(remote);
    }
    // How something was started may be what is wrong ("taskset -c 0 ib_read_bw").
    if (!word.empty() && options_.log_of_interest && options_.log_of_interest(word)) {
        LogLine line;
        line.text = word;
        line.source = "command";
        host(current_).logs().application(line, word);
    }
    if (block_.line.slept_s > 0 && block_.line.slept_s < 1e6) {
        host(current_).slept(static_cast<std::int64_t>(block_.line.slept_s * 1e9));
    }
}

void TextReader::end_block() {
    for (auto& [name, stream] : streams_) close(stream);
    // A command that printed nothing: for some that is an answer.
    if (!block_.any_output && block_.line.commands.size() == 1) {
        for (const Form* form : block_.printed.front()) {
            if (!form->silence) continue;
            Section section = block_.probes.front();
            section.file = file_;
            section.first_line = block_.number;
            Answers answers;
            form->parse(section, answers);
            if (!answers.empty())
                host(block_.line.host.empty() ? current_ : block_.line.host).take(section, *form, answers);
        }
    }
    block_ = {};
    last_unclaimed_ = false;
}

}  // namespace rd::ingest
