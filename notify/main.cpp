// SPDX-License-Identifier: GPL-2.0-or-later
// rdmadoctor-notify: see outbox.h. Ends at once on SIGTERM; what was not delivered stays in the spool.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>
#include <string_view>

#include "core/base/escape.h"
#include "core/host/descriptor.h"
#include "daemon/alerts/config.h"
#include "daemon/alerts/spool.h"
#include "notify/courier.h"

namespace rd::notify {
namespace {

constexpr int kUsage = 64, kInternal = 70;
constexpr std::size_t kMostConfig = 1 << 20;
constexpr std::string_view kDefaultConfig = "/etc/rdmadoctor/rdmadoctor.toml";

constexpr const char* kHelp = R"(usage: rdmadoctor-notify [--config FILE]

Brings the alerts that rdmadoctord has put into its spool to the Alertmanagers of [alerts.alertmanager].

  --config FILE   instead of /etc/rdmadoctor/rdmadoctor.toml
  --help
)";

void say(std::string_view line) {
    const std::string text = "rdmadoctor-notify: " + on_one_line(line) + "\n";
    (void)!::write(STDERR_FILENO, text.data(), text.size());  // where nobody reads it there is nobody to tell
}

int give_up(const Error& error, int code = kInternal) {
    say(describe(error));
    return code;
}

Result<daemon::AlertsConfig> configured(const std::string& path, bool named) {
    const auto text = daemon::read_whole(path, kMostConfig);
    if (!text && text.error().code == Errc::not_found && !named) return daemon::AlertsConfig{};
    if (!text) return tl::unexpected(text.error());
    return daemon::parse_alerts_file(*text, path);
}

// Empties a descriptor that only wakes us.
bool drain(int fd) {
    std::array<char, 4096> bytes{};
    bool any = false;
    while (::read(fd, bytes.data(), bytes.size()) > 0) any = true;
    return any;
}

int run(const std::string& path, bool named) {
    const auto config = configured(path, named);
    if (!config) return give_up(config.error(), kUsage);
    const daemon::AlertmanagerConfig& manager = config->alertmanager;
    if (manager.urls.empty()) {
        say(
            fmt::format("{}: no [alerts.alertmanager] urls: nothing to do (once there are some: systemctl reload "
                        "rdmadoctord, which starts this program too)",
                        path));
        return 0;
    }
    auto spool = daemon::Spool::open(manager.spool, {}, daemon::Spool::Use::read);
    if (!spool) return give_up(spool.error());  // the daemon, which makes it, may not have been there yet
    auto client = Client::open(manager);
    if (!client) return give_up(client.error());

    sigset_t ends;
    ::sigemptyset(&ends);
    ::sigaddset(&ends, SIGTERM);
    ::sigaddset(&ends, SIGINT);
    ::sigprocmask(SIG_BLOCK, &ends, nullptr);
    const Descriptor signals(::signalfd(-1, &ends, SFD_NONBLOCK | SFD_CLOEXEC));
    // Without it the directory is looked at once a second.
    const Descriptor news(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    (void)::inotify_add_watch(news.get(), manager.spool.c_str(), IN_MOVED_TO);
    if (!signals || !news) return give_up(error_from_errno(errno, "signalfd, inotify"));

    Courier courier(manager, std::move(*spool), std::move(*client), say);
    const std::array<int, 2> wake{signals.get(), news.get()};
    while (!drain(signals.get())) {
        (void)drain(news.get());
        courier.turn(wake);
    }
    return 0;
}

}  // namespace
}  // namespace rd::notify

int main(int argc, char** argv) {
    // What cannot be written is an error of write(), with a message. libcurl leaves signals to us (CURLOPT_NOSIGNAL).
    for (const int signal : {SIGPIPE, SIGXFSZ}) (void)::signal(signal, SIG_IGN);
    if (argc == 2 && std::string_view(argv[1]) == "--help") {
        fmt::print("{}", rd::notify::kHelp);
        return 0;
    }
    std::string config(rd::notify::kDefaultConfig);
    const bool named = argc == 3 && std::string_view(argv[1]) == "--config";
    if (argc != 1 && !named) {
        fmt::print(stderr, "{}", rd::notify::kHelp);
        return rd::notify::kUsage;
    }
    if (named) config = argv[2];
    return rd::notify::run(config, named);
}
