// SPDX-License-Identifier: GPL-2.0-or-later
// What one section says of one host: the answers that the host would have given. Forms fill it; host_text.h merges the answers of
// all sections into moments.
//
// Names are those of Host: a path ("/sys/class/net/eth2/mtu") or subject/argument ("ethtool.stats/eth2").
//
// Two sections may say the same. Equal answers are one. Of different ones a `verbatim` one (the very file was pasted) wins over one
// that was derived from another command's output, and else the later one; the report says that they differ. Counters are not
// compared: a counter that is there again, from a later section, is a later reading, and the text has two moments. Which names
// count is known to merge.cpp (is_counter), not told by the form.
//
// A device that the text does not name ("NIC statistics:" pasted without its command) is called kUnnamedNetdev, kUnnamedDevice. In
// the end, when the text names exactly one of that kind, that one is meant; else it is shown as "unnamed".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/records.h"
#include "core/base/result.h"

namespace rd::ingest {

inline constexpr std::string_view kUnnamedNetdev = "?netdev";
inline constexpr std::string_view kUnnamedDevice = "?device";

enum class Trust : std::uint8_t { derived, verbatim };

// One answer in the making. `text` for files and subjects whose text is taken as it is; records for subjects.
struct Piece {
    std::optional<std::string> text;
    std::string key;    // field that tells the records apart ("ifname"); empty: one object, or records in order
    bool dump = false;  // records in order: a later section's list stands in the place of an earlier one's
    std::vector<Record> records;  // one object: one record
    std::optional<Error> error;
    Trust trust = Trust::derived;
};

class Answers {
public:
    // --- files and subjects -------------------------------------------------------------------------------------------------
    // The text of a file, with or without its line end; of a subject as it stands.
    void read(std::string_view name, std::string_view text, Trust trust = Trust::derived);
    // A subject that answers one object: the field is added to it. The first value within a section stays.
    void field(std::string_view subject, std::string_view key, std::string_view value);
    // A subject that answers one record an object: fields are added to the record whose `key` field has the value `id`.
    // record("rtnl.link", "ifname", "eth2", "mtu", "9000")
    void record(std::string_view subject, std::string_view key, std::string_view id, std::string_view field,
                std::string_view value);
    // A dump: one more record. `append` of nothing at all with `empty_dump`: the command said that there are none.
    void append(std::string_view subject, Record record);
    void empty_dump(std::string_view subject);
    // A read that failed where the text was taken: "cat: …: No such file or directory" → not_found.
    void failed(std::string_view name, Errc code, std::string what, std::string remedy = {});

    // --- directories and links ----------------------------------------------------------------------------------------------
    // That there is something at this path: the directory above lists it (besides what else lies there).
    void exists(std::string_view path);
    // All names of a directory, from `ls`. Empty: it is there and holds nothing.
    void list(std::string_view path, std::vector<std::string> names);
    void link(std::string_view path, std::string_view target);  // target absolute, as realpath gives it

    // --- what exists --------------------------------------------------------------------------------------------------------
    // /sys/class/net/NAME; answers the name, kUnnamedNetdev for an empty one, so that it can be put into subjects at once. Names
    // that no interface can have are refused: empty answer, write nothing then.
    std::string netdev(std::string_view name);
    // /sys/class/infiniband/NAME
    std::string device(std::string_view name);
    // …/ports/N
    std::string port(std::string_view device, int number);  // the path; empty when something is wrong with it
    // /sys/bus/pci/devices/ADDRESS; "41:00.0" becomes 0000:41:00.0. Empty: not an address.
    std::string pci(std::string_view address);
    // That the device or netdev sits on the PCI function: its links device and those of class and bus. The bridges above are not
    // known from this.
    void on_pci(std::string_view class_path, std::string_view address);

    // --- the host -----------------------------------------------------------------------------------------------------------
    void hostname(std::string_view name);
    void kernel(std::string_view release);  // uname -r
    void machine(std::string_view name);    // uname -m
    void uid(std::uint32_t uid);
    void wall(std::int64_t wall_ns);    // when this was printed: `date`
    void uptime(std::int64_t boot_ns);  // since boot at that time: `uptime`, /proc/uptime

    // --- logs ---------------------------------------------------------------------------------------------------------------
    // A line of the kernel's log, with its stamp before it as dmesg or journalctl print it, or of an application's.
    void kernel_line(std::string_view line);
    void log(std::string_view line, std::string_view source);

    // A benchmark printed its heading, and perhaps results below it: what fails before the first of them never worked.
    void benchmark(bool results) { benchmark_ = benchmark_.value_or(false) || results; }

    // What the report should say of this section ("only the first 512 queue pairs are shown").
    void note(std::string text);

    // --- for the merge ------------------------------------------------------------------------------------------------------
    struct LogText {
        std::string text;
        std::string source;  // empty: the kernel
    };
    struct Identity {
        std::string hostname, kernel, machine;
        std::optional<std::uint32_t> uid;
        std::optional<std::int64_t> wall_ns, uptime_ns;
    };
    [[nodiscard]] const std::map<std::string, Piece, std::less<>>& pieces() const { return pieces_; }
    [[nodiscard]] const std::map<std::string, Piece, std::less<>>& links() const { return links_; }
    [[nodiscard]] const std::map<std::string, std::vector<std::string>, std::less<>>& lists() const { return lists_; }
    [[nodiscard]] const std::vector<std::string>& existing() const { return existing_; }
    [[nodiscard]] const Identity& identity() const { return identity_; }
    [[nodiscard]] const std::vector<LogText>& logs() const { return logs_; }
    [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
    [[nodiscard]] std::optional<bool> benchmark() const { return benchmark_; }  // whether it has results
    [[nodiscard]] bool empty() const;

private:
    std::map<std::string, Piece, std::less<>> pieces_, links_;
    std::map<std::string, std::vector<std::string>, std::less<>> lists_;
    std::vector<std::string> existing_;
    Identity identity_;
    std::vector<LogText> logs_;
    std::vector<std::string> notes_;
    std::optional<bool> benchmark_;
};

}  // namespace rd::ingest
