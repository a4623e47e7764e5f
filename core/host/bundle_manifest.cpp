// SPDX-License-Identifier: GPL-2.0-or-later
#include <toml++/toml.h>

#include <limits>
#include <sstream>

#include "core/base/text.h"
#include "core/host/bundle_format.h"

namespace rd {
namespace {

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        // Names of hosts and kernels are printable ASCII. Whatever else is in one must not make the file unreadable.
        out += c >= ' ' && c < '\x7f' ? c : '?';
    }
    return out + '"';
}

std::string hexadecimal(std::uint64_t value) {
    std::ostringstream out;
    out << std::hex << value;
    return out.str();
}

std::string line_of(const toml::source_region& region) { return "line " + std::to_string(region.begin.line) + ": "; }

// Reads values of a table. A key that is absent leaves the value as it is; the first wrong one is kept as the Error.
class Keys {
public:
    explicit Keys(const toml::table& table) : table_(table) {}

    template <class T>
    void take(std::string_view key, T& into, std::string_view type) {
        const toml::node* const node = table_.get(key);
        if (node == nullptr) return;
        if (const auto value = node->value_exact<T>()) {
            into = *value;
        } else {
            refuse(*node, key, "must be " + std::string(type));
        }
    }
    void take_count(std::string_view key, std::int64_t& into, std::int64_t most) {
        take(key, into, "a whole number");
        if (into < 0 || into > most) refuse(*table_.get(key), key, "must be from 0 to " + std::to_string(most));
    }
    void refuse(const toml::node& node, std::string_view key, std::string why) {
        if (!error_) error_ = Error{Errc::bad_input, line_of(node.source()) + std::string(key) + " " + why, {}};
    }
    [[nodiscard]] const std::optional<Error>& error() const { return error_; }

private:
    const toml::table& table_;
    std::optional<Error> error_;
};

constexpr std::int64_t kMaxTime = std::numeric_limits<std::int64_t>::max();

Result<> take_sweeps(const toml::table& table, std::vector<Moment>& moments, std::vector<bool>& unchanged) {
    const toml::node* const node = table.get("sweep");
    if (node == nullptr) {  // one moment whose time nobody needs
        moments.emplace_back();
        unchanged.push_back(false);
        return {};
    }
    const toml::array* const sweeps = node->as_array();
    if (sweeps == nullptr || sweeps->empty() || sweeps->size() > kMaxMoments) {
        return fail(Errc::bad_input, line_of(node->source()) + "[[sweep]] must be from 1 to 1000 tables, one a moment");
    }
    bool timed = false;
    for (const toml::node& sweep : *sweeps) {
        if (!sweep.is_table()) return fail(Errc::bad_input, line_of(sweep.source()) + "[[sweep]] must be a table");
        Keys keys(*sweep.as_table());
        Stamp stamp;
        // A moment without its time beside one that has it would be days away from it.
        const bool has_time = sweep.as_table()->contains("boot_ns");
        if (!moments.empty() && has_time != timed)
            keys.refuse(sweep, "boot_ns", "must be in each [[sweep]] or in none");
        timed = has_time;
        keys.take_count("boot_ns", stamp.boot_ns, kMaxTime);
        keys.take_count("wall_ns", stamp.wall_ns, kMaxTime);
        // The wall clock may be set back on a real host; the boot clock cannot be.
        if (!moments.empty() && stamp.boot_ns < moments.back().stamp.boot_ns) {
            keys.refuse(sweep, "boot_ns", "is before the moment before");
        }
        bool same = false;
        keys.take("unchanged", same, "true or false");
        if (same && moments.empty()) keys.refuse(sweep, "unchanged", "cannot be true in the first [[sweep]]");
        if (keys.error()) return tl::unexpected<Error>(*keys.error());
        moments.emplace_back().stamp = stamp;
        unchanged.push_back(same);
    }
    return {};
}

Result<Bundle> read_table(const toml::table& table, Contents& contents) {
    Bundle bundle;
    Keys keys(table);
    std::int64_t format = 0;
    std::int64_t uid = 0;
    std::int64_t count = 0;
    std::string capabilities = "0";
    keys.take("format", format, "a whole number");
    keys.take("tool", bundle.tool, "a string");
    keys.take("hostname", bundle.identity.hostname, "a string");
    keys.take("kernel", bundle.identity.kernel, "a string");
    keys.take("machine", bundle.identity.machine, "a string");
    keys.take("boot_id", bundle.identity.boot_id, "a string");
    keys.take_count("uid", uid, std::numeric_limits<std::uint32_t>::max());
    keys.take("capabilities", capabilities, "a string of hexadecimal digits");
    keys.take("hypervisor", bundle.identity.hypervisor, "true or false");
    keys.take("scrubbed", bundle.scrubbed, "true or false");
    keys.take_count("pieces", count, kMaxPieces);
    if (const auto mask = parse_hex(capabilities)) {
        bundle.identity.capabilities = *mask;
    } else {
        keys.refuse(*table.get("capabilities"), "capabilities", "must be a string of hexadecimal digits");
    }
    if (keys.error()) return tl::unexpected<Error>(*keys.error());
    if (table.get("format") == nullptr) {
        return fail(Errc::bad_input, table.empty() ? "it is empty" : "it has no `format`",
                    "copy the bundle again as a whole; one that is written by hand begins with `format = 1`");
    }
    if (format != 1) {
        return fail(Errc::bad_input, "format = " + std::to_string(format) + ": this version reads format = 1",
                    format > 1 ? "use a newer rdmadoctor" : "write `format = 1` in its first line");
    }
    bundle.identity.uid = static_cast<std::uint32_t>(uid);
    contents.pieces = static_cast<std::size_t>(count);
    if (auto taken = take_sweeps(table, bundle.moments, contents.unchanged); !taken) {
        return tl::unexpected<Error>(taken.error());
    }
    return bundle;
}

}  // namespace

std::string print_manifest(const Bundle& bundle, const Contents& contents) {
    const HostIdentity& host = bundle.identity;
    std::ostringstream out;
    out << "format = 1\n"
        << "tool = " << quoted(bundle.tool) << "\n"
        << "hostname = " << quoted(host.hostname) << "\n"
        << "kernel = " << quoted(host.kernel) << "\n"
        << "machine = " << quoted(host.machine) << "\n"
        << "boot_id = " << quoted(host.boot_id) << "\n"
        << "uid = " << host.uid << "\n"
        << "capabilities = " << quoted(hexadecimal(host.capabilities)) << "\n"
        << "hypervisor = " << (host.hypervisor ? "true" : "false") << "\n"
        << "scrubbed = " << (bundle.scrubbed ? "true" : "false") << "\n"
        << "pieces = " << contents.pieces << "  # remove this line when pieces are added or removed by hand\n";
    for (std::size_t at = 0; at < bundle.moments.size(); ++at) {
        const Stamp& stamp = bundle.moments[at].stamp;
        out << "\n[[sweep]]\nboot_ns = " << stamp.boot_ns << "\nwall_ns = " << stamp.wall_ns << "  # "
            << rfc3339(stamp.wall_ns) << "\n";
        if (contents.unchanged[at]) out << "unchanged = true\n";
    }
    return out.str();
}

Result<Bundle> parse_manifest(std::string_view text, Contents& contents) {
    try {
        return read_table(toml::parse(text), contents);
    } catch (const toml::parse_error& error) {
        return fail(Errc::bad_input, line_of(error.source()) + std::string(error.description()));
    }
}

}  // namespace rd
