// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <sstream>
#include <string_view>
#include <utility>

#include "cli/argument_values.h"
#include "cli/embedded.h"
#include "core/base/escape.h"
#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/facts/history.h"

namespace rd::cli {
namespace {

constexpr int kMostSweeps = 1000;  // more moments no bundle holds
constexpr std::chrono::milliseconds kShortestDeadline{50};
constexpr const char* kSourceHelp =
    "live, a bundle, a directory with sys/ and/or proc/ below it, a sos report, a "
    "sysinfo-snapshot, or text: a file, - for standard input";
constexpr const char* kSocketHelp = "of the daemon";
constexpr const char* kControlHelp = "of the daemon, for orders";

class CommandLine {
public:
    CommandLine() {
        app_.require_subcommand(1);
        app_.set_version_flag("--version", std::string(tool_name()), "print the version");
        app_.footer(
            "rdmadoctor COMMAND --help tells more. Exit codes of check: 0 healthy, 1 low or medium, 2 high or "
            "critical,\n"
            "3 cannot tell; of every command: 64 wrong arguments or configuration, 70 internal.");
        app_.failure_message(CLI::FailureMessage::simple);
        add_check();
        add_facts();
        add_rules();
        add_explain();
        add_record();
        add_diff();
        add_past();
        add_alerts();
        add_schema();
    }

    Arguments parse(int argc, const char* const* argv) {
        if (argc > 1 && argv[1][0] != '-') {
            const std::vector<std::string> names = command_names();
            if (std::find(names.begin(), names.end(), argv[1]) == names.end()) return no_command(argv[1], names);
        }
        try {
            app_.parse(argc, argv);
        } catch (const CLI::Success& wanted) {
            std::ostringstream out;
            (void)app_.exit(wanted, out, out);
            return {std::nullopt, {0, out.str(), {}}};
        } catch (const CLI::ParseError& error) {
            return {std::nullopt,
                    {kUsage, {}, "rdmadoctor: " + on_one_line(error.what()) + "\nTry: " + usage_hint() + " --help\n"}};
        }
        return {chosen_, {}};
    }

private:
    template <class Options>
    CLI::App* add(CLI::App& parent, const char* name, const char* help, const Options& options) {
        CLI::App* command = parent.add_subcommand(name, help);
        command->final_callback([this, &options] { chosen_ = options; });
        return command;
    }

    static CLI::Option* add_parsed(CLI::App* command, const char* name, const char* type, const std::string& help,
                                   const ParseValue& parse) {
        // CLI11 wants a callback too, but only a check can complain.
        const auto done = [](const std::string&) {};
        return command->add_option_function<std::string>(name, done, help)->check(parse)->type_name(type);
    }

    static CLI::Option* add_duration(CLI::App* command, const char* name, std::chrono::nanoseconds& target,
                                     const char* help, std::chrono::nanoseconds least, bool zero_allowed = false) {
        return add_parsed(command, name, "TIME", std::string(help) + " [" + print_duration(target) + "]",
                          duration_into(target, least, zero_allowed));
    }

    // A name or a path: an empty one is a shell variable that is not set, and never means "the default".
    template <class Text>
    static CLI::Option* add_name(CLI::App* command, const char* name, Text& target, const char* help,
                                 const char* type) {
        return command->add_option(name, target, help)->type_name(type)->check(ParseValue(not_empty));
    }

    static void add_kind(CLI::App* command, std::optional<Kind>& target) {
        const auto check = [&target](const std::string& text) { return take_kind(text, target.emplace()); };
        add_parsed(command, "--kind", "KIND", "only entities of this kind", check);
    }

    static CLI::Option* add_source(CLI::App* command, std::string& target) {
        return add_name(command, "--from", target, kSourceHelp, "SOURCE");
    }

    static void add_host(CLI::App* command, std::string& target) {
        add_name(command, "--host", target, "the host that is meant, where a text tells of several", "NAME");
    }

    static void add_root(CLI::App* command, std::string& target, CLI::Option* from) {
        add_name(command, "--root", target, "where /sys and /proc of this host are mounted, seen from a container",
                 "DIR")
            ->excludes(from);
    }

    static void add_config(CLI::App* command, RuleSource& target) {
        add_name(command, "--config", target.config, "instead of /etc/rdmadoctor/rdmadoctor.toml", "FILE");
    }

    static void add_rule_source(CLI::App* command, RuleSource& target) {
        add_config(command, target);
        add_name(command, "--rules,--rules-dir", target.rules_dir, "site rules, instead of /etc/rdmadoctor/rules.d",
                 "DIR");
    }

    void add_check() {
        CLI::App* command = add(app_, "check", "say what is wrong with this host", check_);
        add_root(command, check_.root, add_source(command, check_.from));
        add_host(command, check_.host);
        add_rule_source(command, check_.rules);
        add_duration(command, "--interval", check_.interval,
                     "between the two sweeps, at least 100ms; 0: one sweep, no rates", kShortestWindow, true);
        add_duration(command, "--deadline", check_.deadline, "reading ends by then; what is missing is reported",
                     kShortestDeadline);
        add_name(command, "--socket", check_.socket, kSocketHelp, "PATH");
        const auto severity = [this](const std::string& text) { return take_severity(text, check_.fail_on); };
        add_parsed(command, "--fail-on", "SEVERITY", "lesser findings exit with 0 [low]", severity);
        command->add_flag("--strict", check_.strict, "what only root could see counts as unknown (exit 3)");
        const auto style_named = [this](const std::string& text) { return take_style(text, check_.style); };
        CLI::Option* style =
            add_parsed(command, "--style", "STYLE", "text, json, nagios, npd or junit [text]", style_named);
        command
            ->add_flag_function(
                "--json", [this](std::int64_t) { check_.style = Style::json; }, "the same as --style json")
            ->excludes(style);
    }

    void add_facts() {
        CLI::App* command = add(app_, "facts", "show what is known of this host", facts_);
        CLI::Option* entity =
            add_name(command, "entity", facts_.entities, "mlx5_0, mlx5_0/1, ens1f0, 0000:41:00.0, ...", "ENTITY");
        add_kind(command, facts_.kind);
        CLI::Option* all = command->add_flag(
            "--all", facts_.all, "also bulky kinds, counters without a description, and why facts are absent");
        CLI::Option* list =
            command->add_flag("--list", facts_.list, "the catalogue: every fact there is, with its meaning");
        command->add_flag("--json", facts_.json, "machine-readable");
        CLI::Option* from = add_source(command, facts_.from);
        add_root(command, facts_.root, from);
        add_host(command, facts_.host);
        add_config(command, facts_.rules);
        add_duration(command, "--deadline", facts_.deadline, "reading ends by then", kShortestDeadline);
        command->final_callback([this, entity, all, from, list] {
            if (list->count() != 0 && entity->count() + all->count() + from->count() != 0) {
                throw CLI::ValidationError(
                    "--list", "it shows the catalogue and no host, and takes neither ENTITY nor --all nor --from");
            }
            chosen_ = facts_;
        });
    }

    void add_rules() {
        CLI::App* rules = app_.add_subcommand("rules", "list, show and test the rules");
        rules->require_subcommand(1);
        CLI::App* list = add(*rules, "list", "all rules", rules_list_);
        add_rule_source(list, rules_list_.rules);
        list->add_flag("--json", rules_list_.json, "machine-readable");
        CLI::App* show = add(*rules, "show", "everything about one rule", rules_show_);
        add_name(show, "id", rules_show_.id, "of the rule", "ID")->required();
        add_rule_source(show, rules_show_.rules);
        show->add_flag("--json", rules_show_.json, "machine-readable");
        CLI::App* test = add(*rules, "test", "run the examples of rules, and the mutation test", rules_test_);
        add_name(test, "dir", rules_test_.directory, "instead of the shipped rules", "DIR");
        CLI::App* lint = add(*rules, "lint", "complain about rules as file:line:column", rules_lint_);
        add_name(lint, "dir", rules_lint_.directory, "instead of the shipped rules", "DIR");
        CLI::App* diff = add(*rules, "diff", "say what became of the rules of one directory in another", rules_diff_);
        add_name(diff, "old", rules_diff_.before, "directory of rules", "OLD")->required();
        add_name(diff, "new", rules_diff_.after, "directory of rules", "NEW")->required();
        diff->add_flag("--json", rules_diff_.json, "machine-readable");
    }

    void add_explain() {
        CLI::App* command = add(
            app_, "explain", "tell what a rule, fact, counter, status, event, errno or line of a log means", explain_);
        add_name(command, "term", explain_.terms,
                 "rule id, fact (active_mtu), counter (mlx5:out_of_sequence), wc:12, synd:0x15, vendor:0x81, "
                 "IBV_EVENT_PORT_ERR, "
                 "ENOMEM, \"ibv_reg_mr: ENOMEM\", a line of a log, or - for lines from standard input",
                 "TERM")
            ->required();
        add_rule_source(command, explain_.rules);
        command->add_flag("--json", explain_.json, "machine-readable");
    }

    void add_record() {
        CLI::App* command = add(app_, "record", "save what is read of this host in a bundle", record_);
        add_name(command, "out", record_.out, "a directory, or NAME.tar, NAME.tar.gz, NAME.tar.zst", "OUT")->required();
        CLI::Option* from = add_source(command, record_.from);
        add_root(command, record_.root, from);
        add_host(command, record_.host);
        command->add_flag("--scrub", record_.scrub,
                          "replace host name, addresses, GUIDs, serial numbers and NQNs, the same by the same");
        CLI::Option* duration =
            add_duration(command, "--duration", record_.duration,
                         "from the first sweep to the last, at least 100ms between two", kShortestWindow);
        duration->excludes(from);
        CLI::Option* sweeps =
            add_parsed(command, "--sweeps", "N", "how many [2]", [this](const std::string& text) -> std::string {
                const auto number = parse_integer(text);
                if (!number || *number < 2 || *number > kMostSweeps) {
                    return "a whole number from 2 to " + std::to_string(kMostSweeps) + ", not '" + printable(text) +
                           "'";
                }
                record_.sweeps = static_cast<int>(*number);
                return {};
            });
        sweeps->excludes(from);
        command->final_callback([this] {
            const auto least = kShortestWindow * (record_.sweeps - 1);
            if (record_.duration < least) {
                throw CLI::ValidationError("--duration", print_duration(record_.duration) + " is too short for " +
                                                             std::to_string(record_.sweeps) + " sweeps: at least " +
                                                             print_duration(least));
            }
            chosen_ = record_;
        });
    }

    void add_diff() {
        CLI::App* command =
            add(app_, "diff", "say what differs between hosts that should be alike, or changed on one", diff_);
        CLI::Option* source = add_name(
            command, "source", diff_.sources,
            "two or more: bundles, directories, live; of one host they are its recordings, else twins", "SOURCE");
        const auto moment = [](const std::string& text) {
            Moment taken;
            return take_moment(text, taken);
        };
        const auto take = [this](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) (void)take_moment(text, diff_.at.emplace_back());
        };
        CLI::Option* at =
            command
                ->add_option_function<std::vector<std::string>>(
                    "--at", take, "twice, instead of sources: two times of this host as its daemon has kept it")
                ->check(ParseValue(moment))
                ->type_name("TIME")
                ->allow_extra_args(false)
                ->excludes(source);
        add_name(command, "--socket", diff_.socket, kSocketHelp, "PATH")->needs(at);
        const auto likeness = [this](const std::string& text) { return take_likeness(text, diff_.likeness.emplace()); };
        add_parsed(command, "--as", "WHAT", "twins or recordings, whatever the sources look like", likeness)
            ->excludes(at);
        command
            ->add_flag("--counters", diff_.counters,
                       "of recordings: how far counters went between the first and the last")
            ->excludes(at);
        command->add_flag("--json", diff_.json, "machine-readable");
        add_rule_source(command, diff_.rules);
        add_duration(command, "--deadline", diff_.deadline, "reading of a live host ends by then", kShortestDeadline);
        command->final_callback([this] {
            if (!diff_.at.empty() && diff_.at.size() != 2) throw CLI::ValidationError("--at", "takes two times");
            if (diff_.at.empty() && diff_.sources.size() < 2)
                throw CLI::ValidationError("diff", "takes two sources or more, or --at twice");
            chosen_ = diff_;
        });
    }

    void add_past() {
        CLI::App* events = add(app_, "events", "show what the kernel told the daemon of this host", events_);
        add_duration(events, "--since", events_.since, "so far back", std::chrono::seconds(1));
        events->add_flag("--follow", events_.follow, "go on with what comes, until interrupted");
        events->add_flag("--json", events_.json, "an object a line");
        add_name(events, "--socket", events_.socket, kSocketHelp, "PATH");
        CLI::App* history = add(app_, "history", "show what the daemon has found, or one fact over time", history_);
        CLI::Option* entity = add_name(history, "entity", history_.entity, "mlx5_0, mlx5_0/1, ens1f0, ...", "ENTITY");
        CLI::Option* fact = add_name(history, "fact", history_.fact, "rx_bytes, active_mtu, ...", "FACT");
        entity->needs(fact);
        add_duration(history, "--since", history_.since, "so far back", std::chrono::seconds(1));
        history->add_option("--step", history_.step, "raw, minute or hour [minute]")
            ->check(CLI::IsMember({"raw", "minute", "hour"}));
        history->add_flag("--json", history_.json, "machine-readable");
        add_name(history, "--socket", history_.socket, kSocketHelp, "PATH");
    }

    void add_alerts() {
        CLI::App* alerts = app_.add_subcommand("alerts", "what the daemon alerts to, and what it is to be silent of");
        alerts->require_subcommand(1);
        CLI::App* list = add(*alerts, "list", "alerts and silences", alerts_list_);
        list->add_flag("--json", alerts_list_.json, "machine-readable");
        add_name(list, "--socket", alerts_list_.socket, kSocketHelp, "PATH");
        CLI::App* ack = add(*alerts, "ack", "tell nothing more of an alert until it is over or worse", alerts_ack_);
        add_name(ack, "fingerprint", alerts_ack_.fingerprint, "as alerts list shows it", "FINGERPRINT")->required();
        add_name(ack, "--comment", alerts_ack_.comment, "why", "TEXT");
        add_name(ack, "--socket", alerts_ack_.socket, kControlHelp, "PATH");
        CLI::App* silence = add(*alerts, "silence",
                                "tell nothing of what matches, for a time; '*' at an end is any rest", alerts_silence_);
        std::vector<CLI::Option*> what{
            add_name(silence, "--rule", alerts_silence_.rule, "a rule, or an alert by its name", "NAME"),
            add_name(silence, "--subject", alerts_silence_.subject, "mlx5_0/1, ens1f0, ...", "NAME"),
            add_parsed(
                silence, "--severity", "SEVERITY", "only of this severity",
                [this](const std::string& text) { return take_severity(text, alerts_silence_.severity.emplace()); }),
            add_duration(silence, "--for", alerts_silence_.lasts, "how long", std::chrono::seconds(1)),
            add_name(silence, "--comment", alerts_silence_.comment, "why", "TEXT")};
        CLI::Option* end = add_name(silence, "--end", alerts_silence_.end, "a silence, by its id", "ID");
        for (CLI::Option* option : what) end->excludes(option);
        add_name(silence, "--socket", alerts_silence_.socket, kControlHelp, "PATH");
        silence->final_callback([this] {
            const AlertsSilenceOptions& wanted = alerts_silence_;
            if (wanted.end.empty() && wanted.rule.empty() && wanted.subject.empty() && !wanted.severity)
                throw CLI::ValidationError("silence", "of what? --rule, --subject or --severity");
            chosen_ = wanted;
        });
    }

    void add_schema() {
        CLI::App* command = add(app_, "schema", "print the JSON Schema of a command's --json output", schema_);
        add_name(command, "command", schema_.command, "check, facts, rules, explain, diff or alerts", "COMMAND");
    }

    [[nodiscard]] std::vector<std::string> command_names() {
        std::vector<std::string> names;
        for (const CLI::App* command : app_.get_subcommands([](const CLI::App*) { return true; })) {
            names.push_back(command->get_name());
        }
        return names;
    }

    // CLI11 would only say that a command is missing.
    static Arguments no_command(std::string_view word, const std::vector<std::string>& names) {
        const std::vector<std::string_view> known(names.begin(), names.end());
        const std::string offer = did_you_mean(word, known);
        return {std::nullopt,
                {kUsage,
                 {},
                 "rdmadoctor: no command '" + printable(word) + "'" + (offer.empty() ? "" : "; " + offer) +
                     "\nTry: rdmadoctor --help\n"}};
    }

    // "rdmadoctor rules show": as far as the words were understood.
    std::string usage_hint() const {
        std::string hint = "rdmadoctor";
        for (const CLI::App* app = &app_; app != nullptr;) {
            const auto parsed = app->get_subcommands();
            app = parsed.empty() ? nullptr : parsed.front();
            if (app != nullptr) hint += " " + app->get_name();
        }
        return hint;
    }

    CLI::App app_{"Says why RDMA on this host is slow, stalls or drops connections.", "rdmadoctor"};
    std::optional<Command> chosen_;
    CheckOptions check_;
    FactsOptions facts_;
    RulesListOptions rules_list_;
    RulesShowOptions rules_show_;
    RulesTestOptions rules_test_;
    RulesLintOptions rules_lint_;
    RulesDiffOptions rules_diff_;
    ExplainOptions explain_;
    RecordOptions record_;
    DiffOptions diff_;
    EventsOptions events_;
    HistoryOptions history_;
    AlertsListOptions alerts_list_;
    AlertsAckOptions alerts_ack_;
    AlertsSilenceOptions alerts_silence_;
    SchemaOptions schema_;
};

}  // namespace

Arguments parse_arguments(int argc, const char* const* argv) { return CommandLine().parse(argc, argv); }

}  // namespace rd::cli
