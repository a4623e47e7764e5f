// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/source.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>

#include "core/base/text.h"
#include "core/host/bundle.h"
#include "core/host/files.h"
#include "core/host/live.h"

namespace rd {
namespace {

// What a recogniser may look at: the kind of the thing, the names in a directory, the first bytes of a file.
struct Candidate {
    std::string spec;
    bool is_directory = false;
    Descriptor place;
    std::string start;

    [[nodiscard]] bool has(const char* name) const {
        return is_directory && ::faccessat(place.get(), name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    }
    [[nodiscard]] bool starts(std::size_t at, std::string_view bytes) const {
        return start.size() >= at + bytes.size() && start.compare(at, bytes.size(), bytes) == 0;
    }
};

bool is_bundle(const Candidate& it) {
    return it.has("manifest.toml") || it.starts(0, "\x1f\x8b") || it.starts(0, "\x28\xb5\x2f\xfd") ||
           it.starts(257, "ustar");
}

bool is_tree(const Candidate& it) { return it.has("sys") || it.has("proc"); }

Result<std::unique_ptr<Host>> open_bundle(const std::string& spec) {
    return load_bundle(spec).map([&](Bundle bundle) { return replay_host(std::move(bundle), spec); });
}

struct Recogniser {
    std::string_view form;  // as the Error lists it
    bool (*matches)(const Candidate&);
    Result<std::unique_ptr<Host>> (*open)(const std::string& spec);
};

// The first that matches opens it: a bundle may hold a folder called sys.
constexpr std::array<Recogniser, 2> kRecognisers{{
    {"a bundle of `rdmadoctor record` (a directory with manifest.toml, or .tar, .tar.gz, .tar.zst)", is_bundle,
     open_bundle},
    {"a directory with sys/ or proc/ below it", is_tree, tree_host},
}};

std::string understood() {
    std::string out = "understood are: \"live\" (this host)";
    for (const Recogniser& recogniser : kRecognisers) out.append("; ").append(recogniser.form);
    return out;
}

Result<Candidate> look_at(const std::string& spec) {
    Candidate it{spec, false, Descriptor(::open(spec.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)), {}};
    struct stat status {};
    if (!it.place || ::fstat(it.place.get(), &status) != 0) {
        Error error = file_error(errno, spec);
        if (error.remedy.empty()) error.remedy = understood();
        return tl::unexpected<Error>(std::move(error));
    }
    it.is_directory = S_ISDIR(status.st_mode);
    if (S_ISREG(status.st_mode)) {
        it.start.resize(512);
        const ssize_t got = ::pread(it.place.get(), it.start.data(), it.start.size(), 0);
        it.start.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    }
    return it;
}

}  // namespace

Result<std::unique_ptr<Host>> open_source(const std::string& spec) {
    if (spec.empty() || spec == "live") return live_host();
    const auto it = look_at(spec);
    if (!it) return tl::unexpected<Error>(it.error());
    for (const Recogniser& recogniser : kRecognisers) {
        if (recogniser.matches(*it)) return recogniser.open(spec);
    }
    return fail(Errc::bad_input, spec + ": not a source that this version understands", understood());
}

}  // namespace rd
