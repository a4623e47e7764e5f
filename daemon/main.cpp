// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <fmt/format.h>
#include <getopt.h>
#include <paths.h>
#include <signal.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "daemon/footprint.h"
#include "daemon/log.h"
#include "daemon/serve.h"

namespace {

using namespace rd::daemon;

constexpr int kUsage = 64, kInternal = 70;

constexpr const char* kHelp = R"(usage: rdmadoctord [OPTION…]

Watches this host's RDMA: looks once a second, keeps what it sees, judges, and alerts.

  --config FILE   instead of /etc/rdmadoctor/rdmadoctor.toml
  --foreground    alerts as lines on stderr, not in the journal
  --from DIR      watch a copy of a host with sys/ and/or proc/ in it instead of this one; no events
  --textfile FILE write the metrics there every 10 s, for node_exporter; instead of [api] textfile
  --once          look once, keep it, and end with 0 whatever was found; 70: it could not be kept
  --version
  --help
)";

// What is opened first takes the lowest number: a log must not go into a file that happens to have that of stderr.
void open_standard_files() {
    for (int fd = 0; fd <= STDERR_FILENO; ++fd) {
        if (::fcntl(fd, F_GETFD) < 0) static_cast<void>(::open(_PATH_DEVNULL, O_RDWR));
    }
}

int print(std::string_view text) {
    fmt::print("{}", text);
    return std::fflush(stdout) == 0 ? 0 : kInternal;
}

}  // namespace

int main(int argc, char** argv) {
    open_standard_files();
    keep_little_memory();
    ServeOptions options;
    constexpr option kOptions[] = {
        {"config", required_argument, nullptr, 'c'}, {"foreground", no_argument, nullptr, 'f'},
        {"from", required_argument, nullptr, 'd'},   {"textfile", required_argument, nullptr, 't'},
        {"once", no_argument, nullptr, '1'},         {"version", no_argument, nullptr, 'v'},
        {"help", no_argument, nullptr, 'h'},         {nullptr, 0, nullptr, 0}};
    for (int one = 0, index = 0; (one = getopt_long(argc, argv, "", kOptions, &index)) != -1;) {
        // A variable that is not set must not make it another host, or another store.
        if (optarg != nullptr && *optarg == '\0') {
            fmt::print(stderr, "rdmadoctord: --{} must not be empty\n", kOptions[index].name);
            return kUsage;
        }
        switch (one) {
            case 'c':
                options.config = optarg;
                break;
            case 'f':
                options.foreground = true;
                break;
            case 'd':
                options.from = optarg;
                break;
            case 't':
                options.textfile = optarg;
                break;
            case '1':
                options.once = true;
                break;
            case 'v':
                return print(fmt::format("rdmadoctord {}\n", rd::kProgramVersion));
            case 'h':
                return print(kHelp);
            default:
                fmt::print(stderr, "{}", kHelp);
                return kUsage;
        }
    }
    if (optind < argc) {
        fmt::print(stderr, "rdmadoctord: what is '{}' for? It takes options only (--help).\n", argv[optind]);
        return kUsage;
    }
    // Threads inherit what is blocked: the loop waits for signals, nobody is interrupted by one.
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    // What cannot be written is an error of write(), with a message, and no reason to end.
    for (const int signal : {SIGPIPE, SIGXFSZ}) static_cast<void>(::signal(signal, SIG_IGN));
    return serve(options);
}
