// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <getopt.h>
#include <signal.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "daemon/footprint.h"
#include "daemon/log.h"
#include "daemon/serve.h"

namespace {

using namespace rd::daemon;

constexpr int kUsage = 64;

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

}  // namespace

int main(int argc, char** argv) {
    keep_little_memory();
    ServeOptions options;
    constexpr option kOptions[] = {
        {"config", required_argument, nullptr, 'c'}, {"foreground", no_argument, nullptr, 'f'},
        {"from", required_argument, nullptr, 'd'},   {"textfile", required_argument, nullptr, 't'},
        {"once", no_argument, nullptr, '1'},         {"version", no_argument, nullptr, 'v'},
        {"help", no_argument, nullptr, 'h'},         {nullptr, 0, nullptr, 0}};
    for (int one = 0; (one = getopt_long(argc, argv, "", kOptions, nullptr)) != -1;) {
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
                if (options.textfile.empty()) {
                    fmt::print(stderr, "rdmadoctord: --textfile wants the name of a file\n");
                    return kUsage;
                }
                break;
            case '1':
                options.once = true;
                break;
            case 'v':
                fmt::print("rdmadoctord {}\n", rd::kProgramVersion);
                return 0;
            case 'h':
                fmt::print("{}", kHelp);
                return 0;
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
