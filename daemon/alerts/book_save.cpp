// SPDX-License-Identifier: GPL-2.0-or-later
// The book as text: records (core/base/records.h). The first says what it is and when it was written; then silences, then each alert
// with the signs that tell of it.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "daemon/alerts/book.h"

namespace rd::daemon {
namespace {

constexpr std::string_view kForm = "rdmadoctor-alerts", kVersion = "1";
constexpr std::int64_t kMostTime = std::int64_t{1}
                                   << 60;  // 36 years: beyond it is no time of a boot, and sums could overflow

void set(Record& record, std::string_view key, std::int64_t value) { record.set(key, std::to_string(value)); }
void set(Record& record, std::string_view key, const Stamp& stamp) {
    set(record, fmt::format("{}.boot", key), stamp.boot_ns);
    set(record, fmt::format("{}.wall", key), stamp.wall_ns);
}
void set(Record& record, const Subject& subject) {
    record.set("kind", name_of(subject.entity.kind));
    record.set("id", subject.entity.id);
    record.set("subject", subject.name);
}
void set(Record& record, const Acknowledgement& acknowledged) {
    record.set("ack_by", acknowledged.by);
    record.set("ack_comment", acknowledged.comment);
    set(record, "ack_at", acknowledged.at);
}

// Takes fields; what is missing or wrong is remembered, and everything after it is nothing.
class Fields {
public:
    Fields(const Record& record, std::int64_t shift) : record_(record), shift_(shift) {}

    std::string text(std::string_view key) {
        const auto value = record_.get(key);
        if (!value) bad_ = key;
        return value.value_or(std::string());
    }
    std::int64_t number(std::string_view key) {
        const auto value = parse_integer(text(key));
        if (!value) bad_ = key;
        return value.value_or(0);
    }
    // On the boot clock of now.
    std::int64_t moment(std::string_view key) { return moved(number(key), key); }
    std::vector<std::int64_t> times(std::string_view key) {
        std::vector<std::int64_t> times;
        const std::string list = text(key);
        for (const std::string_view part : split(list, ',')) {
            if (part.empty()) continue;
            const auto at = parse_integer(part);
            if (!at) bad_ = key;
            times.push_back(moved(at.value_or(0), key));
        }
        return times;
    }
    bool flag(std::string_view key) { return number(key) != 0; }
    Stamp stamp(std::string_view key) {
        return {moment(fmt::format("{}.boot", key)), number(fmt::format("{}.wall", key))};
    }
    Severity severity(std::string_view key) {
        Severity severity{};
        if (!severity_from_name(text(key), severity)) bad_ = key;
        return severity;
    }
    Subject subject() {
        Subject subject;
        if (!kind_from_name(text("kind"), subject.entity.kind)) bad_ = "kind";
        subject.entity.id = text("id");
        subject.name = text("subject");
        return subject;
    }
    [[nodiscard]] bool has(std::string_view key) const { return record_.get(key).has_value(); }
    [[nodiscard]] Result<> sound() const {
        if (bad_.empty()) return {};
        return fail(Errc::bad_input, fmt::format("saved alerts: field '{}' is missing or wrong", bad_));
    }

private:
    std::int64_t moved(std::int64_t time, std::string_view key) {
        if (time > kMostTime || time < -kMostTime) bad_ = key;
        return bad_.empty() ? time + shift_ : 0;
    }

    const Record& record_;
    std::int64_t shift_;
    std::string bad_;
};

}  // namespace

std::string AlertBook::save(std::string_view boot_id, Stamp now) const {
    Record head;
    head.set("form", kForm);
    head.set("version", kVersion);
    head.set("boot_id", boot_id);
    set(head, "at", Stamp{std::max(now.boot_ns, now_.boot_ns), now.wall_ns});
    set(head, "next_silence", static_cast<std::int64_t>(next_silence_));
    std::string out = head.text();
    for (const Silence& silence : silences_) {
        Record record;
        record.set("silence", silence.id);
        record.set("rule", silence.rule);
        record.set("subject", silence.subject);
        if (silence.severity) record.set("severity", name_of(*silence.severity));
        record.set("by", silence.by);
        record.set("comment", silence.comment);
        set(record, "from", silence.from);
        set(record, "until", silence.until);
        out += record.text();
    }
    for (const auto& [key, track] : tracks_) {
        Record record;
        record.set("alert", track.name);
        set(record, track.subject);
        set(record, "known", std::int64_t{track.known});
        std::string starts;
        for (const std::int64_t start : track.starts) starts += std::to_string(start) + ",";
        record.set("starts", starts);
        set(record, "times", static_cast<std::int64_t>(track.times));
        set(record, "since", track.since);
        set(record, "firing_from", track.firing_from);
        set(record, "quiet_from", track.quiet_from);
        set(record, "told_at", track.told_at);
        record.set("worst", name_of(track.worst));
        record.set("told_severity", name_of(track.told_severity));
        set(record, "raised", std::int64_t{track.raised});
        set(record, "flapping", std::int64_t{track.flapping});
        set(record, "told_flapping", std::int64_t{track.told_flapping});
        set(record, "told_excused", std::int64_t{track.told_excused});
        if (track.acknowledged) {
            set(record, *track.acknowledged);
            record.set("ack_severity", name_of(track.acknowledged_severity));
        }
        out += record.text();
        const auto put_told = [&](std::string_view sign, const Told& told) {
            Record line;
            line.set("told", sign);  // empty: what told most of it last
            set(line, "event", std::int64_t{told.sign.event});
            line.set("rule", told.sign.rule);
            set(line, told.sign.subject);
            line.set("severity", name_of(told.severity));
            line.set("title", told.title);
            line.set("text", told.text);
            for (const std::string& evidence : told.evidence) line.set("evidence", evidence);
            set(line, "excuses", std::int64_t{told.excuses});
            set(line, "at", told.at);
            set(line, "expires", told.expires);
            out += line.text();
            for (const Cause& cause : told.causes) {
                Record of;
                of.set("cause", cause.rule);
                set(of, cause.subject);
                of.set("sign", sign);
                out += of.text();
            }
        };
        for (const auto& [sign, told] : track.told) put_told(sign, told);
        if (!track.firing()) put_told("", track.last);
    }
    return out;
}

Result<> AlertBook::restore_record(const Record& record, std::int64_t shift, Track*& last) {
    Fields in(record, shift);
    if (in.has("silence")) {
        Silence silence;
        silence.id = in.text("silence");
        silence.rule = in.text("rule");
        silence.subject = in.text("subject");
        if (in.has("severity")) silence.severity = in.severity("severity");
        silence.by = in.text("by");
        silence.comment = in.text("comment");
        silence.from = in.stamp("from");
        silence.until = in.stamp("until");
        silences_.push_back(std::move(silence));
    } else if (in.has("alert")) {
        const std::string name = in.text("alert");
        const Subject subject = in.subject();
        last = track(name, subject, in.flag("known"));
        if (last == nullptr) return fail(Errc::limit, "saved alerts: too many");
        last->starts = in.times("starts");
        last->times = static_cast<std::uint64_t>(in.number("times"));
        last->since = in.stamp("since");
        last->firing_from = in.moment("firing_from");
        last->quiet_from = in.moment("quiet_from");
        last->told_at = in.moment("told_at");
        last->worst = in.severity("worst");
        last->told_severity = in.severity("told_severity");
        last->raised = in.flag("raised");
        last->flapping = in.flag("flapping");
        last->told_flapping = in.flag("told_flapping");
        last->told_excused = in.flag("told_excused");
        if (in.has("ack_by")) {
            last->acknowledged = Acknowledgement{in.text("ack_by"), in.text("ack_comment"), in.stamp("ack_at")};
            last->acknowledged_severity = in.severity("ack_severity");
        }
    } else if (last != nullptr && in.has("cause")) {
        const auto told = last->told.find(in.text("sign"));
        if (told != last->told.end()) told->second.causes.push_back(Cause{in.text("cause"), in.subject()});
    } else if (last != nullptr && in.has("told")) {
        Told told;
        told.sign = {in.flag("event"), in.text("rule"), in.subject()};
        told.severity = in.severity("severity");
        told.title = in.text("title");
        told.text = in.text("text");
        for (const auto& [key, value] : record.fields()) {
            if (key == "evidence") told.evidence.push_back(value);
        }
        told.excuses = in.flag("excuses");
        told.at = in.stamp("at");
        told.expires = in.number("expires") != 0 ? in.moment("expires") : 0;
        const std::string sign = in.text("told");
        if (sign.empty()) {
            last->last = std::move(told);
        } else {
            if (!told.sign.event) {
                findings_[{told.sign.rule, told.sign.subject.entity}] = key_of(last->name, last->subject, last->known);
            }
            last->told.emplace(sign, std::move(told));
        }
    } else {
        return fail(Errc::bad_input, "saved alerts: a record of no known kind");
    }
    return in.sound();
}

Result<> AlertBook::restore(std::string_view text, std::string_view boot_id, Stamp now) {
    const auto refuse = [&](Error error) -> Result<> {
        tracks_.clear();
        findings_.clear();
        silences_.clear();
        return tl::unexpected<Error>(std::move(error));
    };
    advance(now);
    auto records = parse_records(text);
    if (!records) return refuse(std::move(records.error()));
    if (records->empty() || records->front().get("form") != kForm || records->front().get("version") != kVersion) {
        return refuse({Errc::bad_input, "saved alerts: not of this program, or of another version of it", {}});
    }
    Fields head(records->front(), 0);
    const Stamp saved = head.stamp("at");  // also says whether its boot time is one
    next_silence_ = static_cast<std::uint64_t>(head.number("next_silence"));
    const bool rebooted = head.text("boot_id") != boot_id;
    if (auto sound = head.sound(); !sound) return refuse(std::move(sound.error()));
    // The boot clock begins anew with each boot: what lies between is known to the wall clock alone, if to any.
    const std::int64_t between =
        now.wall_ns > saved.wall_ns && saved.wall_ns > 0 ? std::min(now.wall_ns - saved.wall_ns, kMostTime) : 0;
    const std::int64_t shift = rebooted ? now.boot_ns - between - saved.boot_ns : 0;
    Track* last = nullptr;
    for (const Record& record : std::span(*records).subspan(1)) {
        if (auto done = restore_record(record, shift, last); !done) return refuse(std::move(done.error()));
    }
    return {};
}

}  // namespace rd::daemon
