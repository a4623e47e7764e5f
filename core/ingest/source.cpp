// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/ingest/source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "core/base/text.h"
#include "core/host/bundle.h"
#include "core/host/files.h"
#include "core/host/live.h"
#include "core/ingest/collection.h"
#include "core/ingest/unwrap.h"

namespace rd::ingest {
namespace {

constexpr std::string_view kForms =
    "understood are: \"live\" (this host); a bundle of `rdmadoctor record` (a directory with manifest.toml, or .tar, "
    ".tar.gz, .tar.zst); a directory with sys/ and/or proc/ below it; a sos report; a sysinfo-snapshot; text: outputs "
    "of "
    "ethtool, ibstat, ibv_devinfo, rdma, show_gids, lspci -vv, mlnx_qos, dcb, perfquery, `grep -H . FILES` of /sys and "
    "/proc, "
    "logs of the kernel and of applications";

// What a recogniser may look at: the kind of the thing, the names in a directory, the first bytes of a file.
struct Candidate {
    std::string spec;
    bool is_directory = false;
    bool is_file = false;
    bool is_pipe = false;  // <(dmesg)
    Descriptor place;
    std::string start;

    [[nodiscard]] bool has(const char* name) const {
        return is_directory && ::faccessat(place.get(), name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    }
    [[nodiscard]] bool has_directory(const char* name) const {
        struct stat status {};
        return is_directory && ::fstatat(place.get(), name, &status, 0) == 0 && S_ISDIR(status.st_mode);
    }
};

Error naming(const std::string& spec, Error error) {
    error.what = spec + ": " + error.what;
    return error;
}

// A text in which nothing was recognised is no source: to call that host healthy would be a lie.
Result<Opened> opened(const std::string& spec, Ingested ingested) {
    if (ingested.hosts.empty()) {
        const std::string what = ingested.lines == 0 ? ": it is empty" : ": nothing in it was recognised";
        return fail(Errc::bad_input, spec + what, std::string(kForms));
    }
    for (IngestedHost& host : ingested.hosts) host.bundle.identity.source = spec;
    Opened out;
    out.ingested = std::make_unique<Ingested>(std::move(ingested));
    return out;
}

Result<Opened> opened(Result<std::unique_ptr<Host>> host) {
    return std::move(host).map([](std::unique_ptr<Host> each) {
        Opened out;
        out.host = std::move(each);
        return out;
    });
}

Result<Opened> open_bundle(const std::string& spec) {
    return opened(load_bundle(spec).map([&](Bundle bundle) { return replay_host(std::move(bundle), spec); }));
}

// What people paste has a page around it and is not large; a log of any size is read as it comes.
constexpr std::size_t kMostPasted = 4u << 20;

Result<Opened> read_text(const std::string& spec, ByteSource& bytes, const IngestOptions& options) {
    const auto start = bytes.peek();
    if (!start) return tl::unexpected<Error>(naming(spec, start.error()));
    TextReader reader(options);
    LineReader lines([&](std::string line) { reader.line(std::move(line)); });
    const bool wide = is_utf16(*start);
    std::string whole;
    bool pasted = true;
    while (true) {
        const auto block = bytes.next();
        if (!block) return tl::unexpected<Error>(naming(spec, block.error()));
        if (block->empty()) break;
        if (!wide && pasted && whole.size() + block->size() > kMostPasted) {
            lines.feed(std::exchange(whole, {}));
            pasted = false;
        }
        if (!pasted) {
            lines.feed(*block);
        } else if (!wide || whole.size() < (32u << 20)) {
            whole += *block;
        }
    }
    if (pasted) lines.feed(unwrapped(wide ? from_utf16(whole) : whole));
    lines.end();
    return opened(spec, reader.finish(spec));
}

Descriptor opened_again(const std::string& spec) {
    return Descriptor(::open(spec.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
}

Result<Opened> read_collection(const std::string& spec, Layout layout, const IngestOptions& options,
                               const std::function<Result<>(Entries&)>& read) {
    Collection collection(layout, options);
    if (auto done = read(collection); !done) return tl::unexpected<Error>(naming(spec, done.error()));
    Ingested ingested = collection.finish(spec);
    if (ingested.hosts.empty() && ingested.lines == 0) {
        return fail(
            Errc::bad_input, spec + ": there is no text in it",
            "an archive inside an archive is not opened: unpack it and give what it has; " + std::string(kForms));
    }
    return opened(spec, std::move(ingested));
}

// What an archive or a compressed text is; nothing: whatever is wrong with it, load_bundle says it.
std::optional<Layout> layout_of(const std::string& spec) {
    LayoutProbe probe;
    ByteSource bytes(opened_again(spec));
    const auto probed = read_packed(bytes, probe);
    if (probe.is_bundle()) return std::nullopt;
    if (probe.layout() != Layout::none) return probe.layout();
    const bool broken = !probed && !probed.error().what.empty();  // the probe ends the reading with an empty one
    if (broken && !probe.is_text()) return std::nullopt;
    return Layout::texts;
}

Layout layout_of(const Candidate& directory) {
    if (directory.has_directory("sos_commands")) return Layout::sos;
    if (directory.has_directory("commands_txt_output") || directory.has_directory("err_messages"))
        return Layout::sysinfo;
    return Layout::none;
}

Result<Opened> open_packed(const std::string& spec, const IngestOptions& options) {
    const auto layout = layout_of(spec);
    if (!layout) return open_bundle(spec);
    return read_collection(spec, *layout, options, [&](Entries& entries) {
        ByteSource bytes(opened_again(spec));
        return read_packed(bytes, entries);
    });
}

Result<Opened> open_directory(const Candidate& it, const IngestOptions& options) {
    if (it.has("manifest.toml")) return open_bundle(it.spec);  // a bundle may hold a folder called sys
    if (const Layout layout = layout_of(it); layout != Layout::none) {
        return read_collection(it.spec, layout, options, [&](Entries& entries) {
            return read_folder(Descriptor(::open(it.spec.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), entries);
        });
    }
    if (it.has_directory("sys") || it.has_directory("proc")) return opened(tree_host(it.spec));
    return fail(
        Errc::bad_input, it.spec + ": neither a bundle (no manifest.toml) nor a copy of a host (no sys/ or proc/)",
        "a sos report has sos_commands/ in it, a sysinfo-snapshot commands_txt_output/; of texts give the files");
}

Result<Candidate> look_at(const std::string& spec) {
    Candidate it{
        spec, false, false, false, Descriptor(::open(spec.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)), {}};
    struct stat status {};
    if (!it.place || ::fstat(it.place.get(), &status) != 0) return tl::unexpected<Error>(file_error(errno, spec));
    it.is_directory = S_ISDIR(status.st_mode);
    it.is_pipe = S_ISFIFO(status.st_mode);
    it.is_file = S_ISREG(status.st_mode);
    if (it.is_file) {
        it.start.resize(512);
        const ssize_t got = ::pread(it.place.get(), it.start.data(), it.start.size(), 0);
        it.start.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    }
    return it;
}

// An archive has to be looked at twice.
Result<Opened> open_pipe(const std::string& spec, Descriptor pipe, const IngestOptions& options) {
    ByteSource bytes(std::move(pipe));
    const auto start = bytes.peek();
    if (start && is_packed(*start)) {
        return fail(Errc::not_supported, spec + ": an archive or a compressed text is not read from a pipe",
                    "give its file to --from");
    }
    return read_text(spec, bytes, options);
}

}  // namespace

SourceKind kind_of_source(const std::string& spec) {
    if (spec.empty() || spec == "live") return SourceKind::live;
    if (spec == "-") return SourceKind::text;
    const auto it = look_at(spec);
    if (!it) return SourceKind::recorded;
    if (it->is_directory) {
        return !it->has("manifest.toml") && layout_of(*it) != Layout::none ? SourceKind::text : SourceKind::recorded;
    }
    if (it->is_file && is_packed(it->start)) return layout_of(spec) ? SourceKind::text : SourceKind::recorded;
    return it->is_file || it->is_pipe ? SourceKind::text : SourceKind::recorded;
}

Result<Opened> open_source(const std::string& spec, const IngestOptions& options) {
    if (spec.empty() || spec == "live") return opened(live_host());
    if (spec == "-") return open_pipe(spec, Descriptor(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)), options);
    auto it = look_at(spec);
    if (!it) return tl::unexpected<Error>(it.error());
    if (it->is_directory) return open_directory(*it, options);
    if (it->is_pipe) {
        // Opened without waiting for a writer; reading may wait.
        (void)::fcntl(it->place.get(), F_SETFL, ::fcntl(it->place.get(), F_GETFL) & ~O_NONBLOCK);
        return open_pipe(spec, std::move(it->place), options);
    }
    if (!it->is_file) return fail(Errc::bad_input, spec + ": neither a directory nor a file", std::string(kForms));
    if (is_packed(it->start)) return open_packed(spec, options);
    ByteSource bytes(std::move(it->place));
    return read_text(spec, bytes, options);
}

}  // namespace rd::ingest
