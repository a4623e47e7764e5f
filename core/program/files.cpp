// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/program/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace rd {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxRuleFiles = 5000;

class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) (void)::close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int get() const { return fd_; }

private:
    int fd_;
};

tl::unexpected<Error> failed(int errnum, const std::string& path) {
    return tl::unexpected<Error>(error_from_errno(errnum, path));
}

// The list of all conditions at the top of the shipped rules (rules/index.toml), which is no rule.
bool is_index(const std::string& text) {
    return text.find("\n[[group]]") != std::string::npos && text.find("\nwhen") == std::string::npos;
}

// What editors, packages and people leave beside rules.
bool is_beside_rules(const std::string& name) {
    constexpr std::string_view kEnds[] = {"~",         ".md",        ".txt",     ".bak",     ".old",
                                          ".disabled", ".orig",      ".rpmsave", ".rpmorig", ".rpmnew",
                                          ".dpkg-old", ".dpkg-dist", ".dpkg-new"};
    return name.starts_with('.') || name.starts_with("README") ||
           std::any_of(std::begin(kEnds), std::end(kEnds), [&](std::string_view end) { return name.ends_with(end); });
}

}  // namespace

Result<std::string> read_own_file(const std::string& path) {
    // Non-blocking, because a FIFO in the place of a file must not hang the program.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.get() < 0) return failed(errno, path);
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) return failed(errno, path);
    if (!S_ISREG(status.st_mode)) return fail(Errc::bad_input, path + ": not a regular file");
    std::string text;
    char block[16384];
    for (;;) {
        const ssize_t got = ::read(file.get(), block, sizeof block);
        if (got < 0) {
            if (errno == EINTR) continue;
            return failed(errno, path);
        }
        if (got == 0) return text;
        text.append(block, static_cast<std::size_t>(got));
        if (text.size() > kMaxOwnFile) return fail(Errc::limit, path + ": larger than 1 MiB");
    }
}

Result<std::vector<RuleFile>> read_rule_files(const std::string& directory) {
    std::vector<std::string> paths;
    std::error_code error;
    fs::recursive_directory_iterator entry(directory, error);
    for (const fs::recursive_directory_iterator end; !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        std::error_code unknown;
        if (entry->path().extension() == ".toml") {
            paths.push_back(entry->path().string());
        } else if (entry->is_regular_file(unknown) && !is_beside_rules(name)) {
            return fail(Errc::bad_input,
                        entry->path().string() + ": no rule is read from it, for its name does not end in .toml",
                        "rename it, or begin its name with a dot");
        }
        if (paths.size() > kMaxRuleFiles) return fail(Errc::limit, directory + ": more than 5,000 rule files");
    }
    if (error == std::errc::not_a_directory && exists(directory)) {
        const std::string above = fs::path(directory).parent_path().string();
        return fail(Errc::bad_input, directory + ": is a file, and rules are read from a directory",
                    "name the one that it lies in: " + (above.empty() ? "." : above));
    }
    if (error) return failed(error.value(), directory);
    std::sort(paths.begin(), paths.end());
    std::vector<RuleFile> files;
    for (const std::string& path : paths) {
        Result<std::string> text = read_own_file(path);
        if (!text) return tl::unexpected<Error>(text.error());
        if (path == (fs::path(directory) / "index.toml").string() && is_index(*text)) continue;
        files.push_back({path, std::move(*text)});
    }
    return files;
}

Result<std::string> shipped_rules_directory() {
    if (const char* given = std::getenv("RDMADOCTOR_RULES"); given != nullptr && *given != '\0')
        return std::string(given);
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (error) return failed(error.value(), "/proc/self/exe");
    const fs::path above = program.parent_path().parent_path();
    const fs::path installed = above / "share" / "rdmadoctor" / "rules";
    const fs::path built = above / "rules";
    for (const fs::path& place : {installed, built}) {
        if (fs::is_directory(place, error)) return place.string();
    }
    return fail(Errc::not_found, "no rules found in " + installed.string() + " or " + built.string(),
                "install them, or name their directory in RDMADOCTOR_RULES");
}

Result<std::vector<RuleFile>> read_shipped_rules() {
    const Result<std::string> directory = shipped_rules_directory();
    if (!directory) return tl::unexpected(directory.error());
    Result<std::vector<RuleFile>> files = read_rule_files(*directory);
    if (files && files->empty())
        return fail(Errc::not_found, *directory + ": holds no rules; nothing can be judged without them");
    return files;
}

bool is_directory(const std::string& path) {
    std::error_code error;
    return fs::is_directory(path, error);
}

bool exists(const std::string& path) {
    std::error_code error;
    return fs::exists(fs::symlink_status(path, error));
}

}  // namespace rd
