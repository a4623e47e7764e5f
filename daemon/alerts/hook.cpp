// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/alerts/hook.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "core/base/text.h"
#include "daemon/alerts/program.h"

namespace rd::daemon {
namespace {

// The payload as a file that lies nowhere: it can be as large as it likes, and nobody waits until it has been read.
Result<Descriptor> file_of(const std::string& payload) {
    Descriptor file(::memfd_create("alert", MFD_CLOEXEC));
    if (!file) return tl::unexpected(error_from_errno(errno, "memfd_create"));
    std::size_t done = 0;
    while (done < payload.size()) {
        const ssize_t wrote = ::write(file.get(), payload.data() + done, payload.size() - done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return tl::unexpected(error_from_errno(errno, "payload of the hook"));
        done += static_cast<std::size_t>(wrote);
    }
    if (::lseek(file.get(), 0, SEEK_SET) != 0) return tl::unexpected(error_from_errno(errno, "payload of the hook"));
    return file;
}

class Actions {
public:
    Actions(int input, int output) {
        ::posix_spawn_file_actions_init(&actions_);
        ::posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
        ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
        ::posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO);
        ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
        ::posix_spawn_file_actions_addchdir_np(&actions_, "/");
    }
    Actions(const Actions&) = delete;
    Actions& operator=(const Actions&) = delete;
    ~Actions() { ::posix_spawn_file_actions_destroy(&actions_); }
    [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

private:
    posix_spawn_file_actions_t actions_{};
};

// Signals as a program expects them, whatever we block (an event loop blocks those that it reads) or ignore.
class Attributes {
public:
    Attributes() {
        ::posix_spawnattr_init(&attributes_);
        sigset_t none, all;
        ::sigemptyset(&none);
        ::sigfillset(&all);
        ::posix_spawnattr_setsigmask(&attributes_, &none);
        ::posix_spawnattr_setsigdefault(&attributes_, &all);
        ::posix_spawnattr_setpgroup(&attributes_, 0);
        ::posix_spawnattr_setflags(&attributes_,
                                   POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    Attributes(const Attributes&) = delete;
    Attributes& operator=(const Attributes&) = delete;
    ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
    [[nodiscard]] const posix_spawnattr_t* get() const { return &attributes_; }

private:
    posix_spawnattr_t attributes_{};
};

}  // namespace

Result<Hook> Hook::open(const HookConfig& config) {
    Descriptor ready(::epoll_create1(EPOLL_CLOEXEC));
    if (!ready) return tl::unexpected(error_from_errno(errno, "epoll"));
    return Hook(config, std::move(ready));
}

Hook::Hook(Hook&&) noexcept = default;

Hook::~Hook() {
    for (auto& [pid, run] : runs_) {
        (void)::kill(-pid, SIGKILL);
        while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
}

bool Hook::watch(int fd, pid_t pid) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = static_cast<std::uint64_t>(pid);
    return ::epoll_ctl(ready_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

Result<> Hook::spawn(const std::string& payload, std::int64_t now) {
    // By its name, not a descriptor: a script is opened once more by its interpreter, by name. Who could put another file in its place
    // between now and then is who could do so at any time: root and we.
    if (auto fit = check_program(config_.path); !fit) return fit;
    auto input = file_of(payload);
    if (!input) return tl::unexpected<Error>(std::move(input.error()));
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return tl::unexpected(error_from_errno(errno, "pipe of the hook"));
    Descriptor output(ends[0]);
    const Descriptor theirs(ends[1]);
    (void)::fcntl(output.get(), F_SETFL, O_NONBLOCK);

    std::string path = config_.path;
    std::array<char*, 2> arguments{path.data(), nullptr};
    std::string search = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", language = "LANG=C.UTF-8";
    std::array<char*, 3> environment{search.data(), language.data(), nullptr};
    const Actions actions(input->get(), theirs.get());
    const Attributes attributes;
    Run run;
    const int failed =
        ::posix_spawn(&run.pid, path.c_str(), actions.get(), attributes.get(), arguments.data(), environment.data());
    if (failed != 0) return tl::unexpected(error_from_errno(failed, config_.path));
    run.process = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, run.pid, 0)));
    run.output = std::move(output);
    run.deadline = now + config_.timeout.count();
    const pid_t pid = run.pid;
    const bool watched = run.process && watch(run.process.get(), pid) && watch(run.output.get(), pid);
    if (!watched) {
        const Error error = error_from_errno(errno, config_.path);
        (void)::kill(-pid, SIGKILL);
        (void)::waitpid(pid, nullptr, 0);
        return tl::unexpected(error);
    }
    runs_.emplace(pid, std::move(run));
    return {};
}

void Hook::begin(std::int64_t now) {
    while (!waiting_.empty() && runs_.size() < static_cast<std::size_t>(config_.at_once)) {
        const std::string payload = std::move(waiting_.front());
        waiting_.pop_front();
        const auto done = spawn(payload, now);
        std::string why = done ? "" : describe(done.error());
        if (!why.empty() && why != refused_) ended_.push_back({false, "not run: " + why, {}});
        refused_ = std::move(why);
    }
}

void Hook::start(std::string payload, std::int64_t now) {
    waiting_.push_back(std::move(payload));
    begin(now);
    if (waiting_.size() > static_cast<std::size_t>(config_.queue)) {
        waiting_.pop_front();
        ++dropped_;
    }
}

std::optional<std::int64_t> Hook::due() const {
    if (!ended_.empty()) return 0;
    std::optional<std::int64_t> first;
    for (const auto& [pid, run] : runs_) {
        if (!run.killed) first = std::min(first.value_or(run.deadline), run.deadline);
    }
    return first;
}

void Hook::read_output(Run& run) {
    std::array<char, 4096> bytes{};
    // A program that writes without end gets its turn with the others: a bounded number of reads each time.
    for (int i = 0; i < 16 && run.output; ++i) {
        const ssize_t got = ::read(run.output.get(), bytes.data(), bytes.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) return;
        if (got <= 0) return run.output.reset();  // leaves the epoll set with it
        const std::size_t room = kMostOutput - run.text.size();
        run.text.append(bytes.data(), std::min(room, static_cast<std::size_t>(got)));
    }
}

bool Hook::reap(Run& run, Ended& ended) {
    siginfo_t info{};
    if (::waitid(P_PIDFD, static_cast<id_t>(run.process.get()), &info, WEXITED | WNOHANG | WNOWAIT) != 0) return false;
    if (info.si_pid == 0) return false;
    // Before it is collected its number is no one else's: what it left behind in its group can be meant by it.
    (void)::kill(-run.pid, SIGKILL);
    read_output(run);
    (void)::waitid(P_PIDFD, static_cast<id_t>(run.process.get()), &info, WEXITED);
    ended.ok = info.si_code == CLD_EXITED && info.si_status == 0 && !run.terminated;
    ended.how = info.si_code == CLD_EXITED ? fmt::format("exit status {}", info.si_status)
                                           : fmt::format("ended by signal {}", info.si_status);
    ended.output = std::move(run.text);
    return true;
}

void Hook::enforce(Run& run, std::int64_t now) const {
    if (now < run.deadline || run.killed) return;
    (void)::kill(-run.pid, run.terminated ? SIGKILL : SIGTERM);
    run.killed = run.terminated;
    run.terminated = true;
    run.deadline = now + kGrace.count();
}

std::vector<Hook::Ended> Hook::tick(std::int64_t now) {
    for (auto it = runs_.begin(); it != runs_.end();) {
        Run& run = it->second;
        read_output(run);
        Ended ended;
        if (reap(run, ended)) {
            if (run.terminated)
                ended.how = fmt::format("not ended within {}, {}", print_duration(config_.timeout), ended.how);
            ended_.push_back(std::move(ended));
            it = runs_.erase(it);
            continue;
        }
        enforce(run, now);
        ++it;
    }
    begin(now);
    if (const std::uint64_t dropped = std::exchange(dropped_, 0); dropped > 0) {
        ended_.push_back({false,
                          fmt::format("not run for the oldest of more than {} alerts that waited: {} given up",
                                      config_.queue, dropped),
                          {}});
    }
    return std::exchange(ended_, {});
}

}  // namespace rd::daemon
