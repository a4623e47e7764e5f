// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/serve.h"

#include <fmt/format.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <tuple>

#include "collectors/all.h"
#include "core/host/live.h"
#include "core/host/probed.h"
#include "core/program/files.h"
#include "core/store/claim.h"
#include "daemon/alerts/program.h"
#include "daemon/alerts/spool.h"
#include "daemon/api/api.h"
#include "daemon/api/listen.h"
#include "daemon/footprint.h"
#include "daemon/log.h"
#include "daemon/loop.h"
#include "daemon/textfile.h"

namespace rd::daemon {
namespace {

constexpr int kUsage = 64, kInternal = 70;
constexpr std::chrono::seconds kStopWithin{20};

// What a run is made of; all that SIGHUP reads anew.
struct Setup {
    std::unique_ptr<Catalog> catalog;
    Rules rules;
    Site site;
    Settings settings;
    AlertsConfig alerts;
};

struct Failed {
    int code;
    std::string text;
};
template <class T>
using OrFailed = tl::expected<T, Failed>;

tl::unexpected<Failed> failed(int code, const Error& error) { return tl::unexpected<Failed>({code, describe(error)}); }

OrFailed<std::string> read_config(const ServeOptions& options, std::string& origin) {
    origin = options.config.empty() ? kConfigFile : options.config;
    if (options.config.empty() && !exists(origin)) return std::string();
    auto text = read_own_file(origin);
    if (!text) return failed(kUsage, text.error());
    return std::move(*text);
}

OrFailed<Rules> read_rules(const Catalog& catalog) {
    const auto shipped = read_shipped_rules();
    if (!shipped) return failed(kInternal, shipped.error());
    std::vector<RuleFile> site;
    if (exists(kSiteRules)) {
        auto files = read_rule_files(kSiteRules);
        if (!files) return failed(kUsage, files.error());
        site = std::move(*files);
    }
    Rules rules = build_rulebook(*shipped, site, catalog, collectors::knob_names(), RuleUse::judge);
    if (!rules.errors.empty()) {
        for (const Diagnostic& error : rules.errors) log(Priority::error, error.print());
        return tl::unexpected<Failed>(
            {kUsage, "nothing is judged by a part of the rules: mend or remove what is wrong with these"});
    }
    return rules;
}

Error at_place(const std::string& place, Error error) {
    error.what = place + ": " + error.what;
    return error;
}

// What the alerts are told with: a typing error is found here, where the old settings can still stay in force.
OrFailed<void> check_alerts(const AlertsConfig& alerts, const ServeOptions& options) {
    if (!alerts.hook.path.empty()) {
        if (auto fit = check_program(alerts.hook.path); !fit)
            return failed(kUsage, at_place(alerts.hook.place, fit.error()));
    }
    // Who looks once tells nobody, and may be another user than the one whose directory it would become.
    const AlertmanagerConfig& manager = alerts.alertmanager;
    if (manager.urls.empty() || options.once) return {};
    const auto spool = Spool::open(manager.spool, {}, Spool::Use::read);
    if (spool) return {};
    Error error = at_place(manager.spool_place, spool.error());
    error.remedy = "the folder it lies in must be there, and it must belong to the user the daemon runs as";
    return failed(kUsage, error);
}

OrFailed<Setup> read_setup(const ServeOptions& options) {
    Setup setup;
    std::string origin;
    const auto text = read_config(options, origin);
    if (!text) return tl::unexpected<Failed>(text.error());
    auto site = parse_site(*text, origin);
    if (!site) return failed(kUsage, site.error());
    auto settings = parse_settings(*text, origin);
    if (!settings) return failed(kUsage, settings.error());
    auto alerts = parse_alerts_file(*text, origin);
    if (!alerts) return failed(kUsage, alerts.error());
    if (auto fit = check_alerts(*alerts, options); !fit) return tl::unexpected<Failed>(fit.error());
    auto catalog = collectors::catalog();
    if (!catalog) return failed(kInternal, catalog.error());
    setup.site = std::move(*site);
    setup.settings = std::move(*settings);
    if (!options.textfile.empty()) setup.settings.textfile = options.textfile;
    setup.alerts = std::move(*alerts);
    setup.catalog = std::make_unique<Catalog>(std::move(*catalog));
    auto rules = read_rules(*setup.catalog);
    if (!rules) return tl::unexpected<Failed>(rules.error());
    setup.rules = std::move(*rules);
    return setup;
}

OrFailed<std::shared_ptr<const Host>> open_host(const ServeOptions& options) {
    if (options.from.empty()) return std::shared_ptr<const Host>(probed_host(live_host(), {kProbeBundle}));
    auto host = watched_tree(options.from);
    if (!host) return failed(kUsage, host.error());
    return std::shared_ptr<const Host>(std::move(*host));
}

// Beside the store; where nothing is kept, nothing is remembered.
std::string alerts_file(const Settings& settings) {
    if (settings.store.empty()) return {};
    return (std::filesystem::path(settings.store).parent_path() / "alerts.state").string();
}

// Of those who remember alerts in a file one at a time: two would tell all of them twice, and forget each other's silences.
class AlertsClaim {
public:
    // Another file than before makes way for it. An Error when somebody else has it: then all is as it was.
    Result<> take(const std::string& file) {
        if (held_ && file_ == file) return {};
        std::optional<store::Claim> held;
        if (!file.empty()) {
            auto taken = store::Claim::take(file);
            if (!taken && taken.error().code == Errc::timed_out) {
                return fail(Errc::timed_out, file + ": another rdmadoctord remembers its alerts there",
                            "end it, or keep the store of this one in another directory ([store] path)");
            }
            // Where it cannot be written for another reason, that is said when it is.
            if (taken) held.emplace(std::move(*taken));
        }
        held_ = std::move(held);
        file_ = file;
        return {};
    }

private:
    std::string file_;
    std::optional<store::Claim> held_;
};

std::unique_ptr<Watch> make_watch(const Setup& setup, std::shared_ptr<const Host> host) {
    WatchOptions options;
    options.deadline = std::min<std::chrono::nanoseconds>(options.deadline, setup.settings.interval * 4 / 5);
    options.site = setup.site;
    options.store = setup.settings.store;
    options.limits = setup.settings.limits;
    return std::make_unique<Watch>(std::move(host), setup.rules.book, std::move(options));
}

int look_once(const Setup& setup, std::shared_ptr<const Host> host) {
    const auto watch = make_watch(setup, std::move(host));
    const auto say = [](const std::vector<std::string>& notes) {
        for (const std::string& note : notes) log(Priority::warning, note);
    };
    say(watch->look(Due::all).notes);
    const auto unwritten = Textfile(setup.settings.textfile).swept(0, [&] { return watch->frame(); });
    if (unwritten) say({*unwritten});
    say(watch->stop());
    // What was found does not matter; that it could not be kept does.
    const bool kept = watch->frame()->health.store_trouble.empty();
    return kept && !unwritten ? 0 : kInternal;
}

// They stay open from one reading of the settings to the next: nobody is turned away meanwhile.
struct Sockets {
    Descriptor api, control;
};

// Those that systemd has opened for us, told apart by the name that the unit gives: the folder they lie in is root's.
Sockets opened_for_us() {
    Sockets sockets;
    char** names = nullptr;
    const int count = sd_listen_fds_with_names(0, &names);
    for (int i = 0; i < count; ++i) {
        (std::string_view(names[i]) == "control" ? sockets.control : sockets.api) = Descriptor(SD_LISTEN_FDS_START + i);
        ::free(names[i]);
    }
    ::free(names);
    return sockets;
}

// The socket is kept across reloads: who asks, or is about to, notices nothing.
void say_what_waits(const Settings& opened, const Settings& fresh) {
    const auto listening = [](const Settings& one) { return std::tie(one.socket, one.group, one.control); };
    if (sd_listen_fds(0) > 0 || listening(fresh) == listening(opened)) return;
    log(Priority::notice,
        fmt::format("[api] socket, group and control are still \"{}\", \"{}\" and \"{}\": what has changed there needs "
                    "a restart",
                    opened.socket, opened.group, opened.control));
}

// No API is a pity, and no reason not to watch.
std::unique_ptr<Api> start_api(const Settings& settings, FrameSource& source, AlertDesk& desk, Sockets& sockets) {
    ApiOptions options;
    if (!sockets.api) {
        auto made = listen_unix(settings.socket, settings.group);
        if (!made) {
            log(Priority::error, "no API: " + describe(made.error()));
            return nullptr;
        }
        sockets.api = std::move(*made);
    }
    options.socket = Descriptor(::dup(sockets.api.get()));
    if (!sockets.control && !settings.control.empty()) {
        auto made = listen_private(settings.control);
        if (made) {
            sockets.control = std::move(*made);
        } else {
            log(Priority::error, "no orders are taken: " + describe(made.error()));
        }
    }
    if (sockets.control && !settings.control.empty()) options.control = Descriptor(::dup(sockets.control.get()));
    if (settings.metrics_port != 0) {
        auto tcp = listen_loopback(settings.metrics_port);
        if (tcp) {
            options.metrics_socket = std::move(*tcp);
        } else {
            log(Priority::error, "no metrics over TCP: " + describe(tcp.error()));
        }
    }
    options.store = settings.store;
    auto api = Api::start(source, desk, std::move(options));
    if (!api) {
        log(Priority::error, "no API: " + describe(api.error()));
        return nullptr;
    }
    return std::move(*api);
}

struct Outcome {
    Ended ended = Ended::stop;
    int code = 0;
};

// `fresh`: where to put the settings that a reload has found, once they are known to be fit.
Outcome run(const Setup& setup, const ServeOptions& options, const std::shared_ptr<const Host>& host, Sockets& sockets,
            AlertsClaim& claim, std::optional<Setup>& fresh) {
    LoopOptions loop_options;
    loop_options.settings = setup.settings;
    loop_options.alerts = setup.alerts;
    loop_options.alerts_file = alerts_file(setup.settings);
    loop_options.host = host->identity();
    loop_options.foreground = options.foreground;
    loop_options.events = options.from.empty();
    loop_options.may_reload = [&] {
        // What cannot be read leaves the old settings in force: a daemon that dies of a typing error watches nothing.
        auto read = read_setup(options);
        if (!read) {
            log(Priority::error, "the settings stay as they are: " + read.error().text);
            return false;
        }
        if (const auto taken = claim.take(alerts_file(read->settings)); !taken) {
            log(Priority::error, "the settings stay as they are: " + describe(taken.error()));
            return false;
        }
        fresh = std::move(*read);
        return true;
    };
    auto loop = Loop::make(std::move(loop_options));
    if (!loop) {
        log(Priority::error, loop.error().what);
        return {Ended::stop, kInternal};
    }
    Recorder recorder(make_watch(setup, host), setup.settings.interval, (*loop)->tell(),
                      Textfile(setup.settings.textfile));
    recorder.start();
    std::unique_ptr<Api> api = start_api(setup.settings, recorder, (*loop)->desk(), sockets);
    const auto done = (*loop)->run(recorder);
    api.reset();
    if (!recorder.stop(kStopWithin)) {
        log(Priority::error, "the recorder is stuck in the kernel; what it held is lost");
        ::_exit(done ? 0 : kInternal);
    }
    const Ended ended = (*loop)->finish();
    if (!done) {
        log(Priority::error, done.error().what);
        return {Ended::stop, kInternal};
    }
    return {ended, 0};
}

}  // namespace

int serve(const ServeOptions& options) {
    auto setup = read_setup(options);
    if (!setup) {
        log(Priority::error, setup.error().text);
        return setup.error().code;
    }
    auto host = open_host(options);
    if (!host) {
        log(Priority::error, host.error().text);
        return host.error().code;
    }
    if (options.once) return look_once(*setup, *host);
    AlertsClaim claim;
    if (const auto taken = claim.take(alerts_file(setup->settings)); !taken) {
        log(Priority::error, describe(taken.error()));
        return kInternal;
    }
    Sockets sockets = opened_for_us();
    Settings opened;  // the settings they were opened with, where we have done that
    for (;;) {
        if (!sockets.api) opened = setup->settings;
        log(Priority::info, fmt::format("watching with {} rules", setup->rules.book.rules.size()));
        give_back_what_is_idle();
        std::optional<Setup> fresh;
        const Outcome outcome = run(*setup, options, *host, sockets, claim, fresh);
        if (outcome.ended == Ended::stop) return outcome.code;
        setup = std::move(*fresh);
        if (sockets.api) say_what_waits(opened, setup->settings);
    }
}

}  // namespace rd::daemon
