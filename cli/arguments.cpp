// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <sstream>
#include <string_view>
#include <utility>

#include "cli/embedded.h"
#include "core/base/text.h"
#include "core/diagnosis/nearest.h"

namespace rd::cli {
namespace {

constexpr const char* kSourceHelp = "live, a bundle, or a directory with sys/ and/or proc/ below it";

// Values are parsed by the same functions as configuration and rules, so that "10s" means one thing everywhere.
std::function<std::string(const std::string&)> duration_into(std::chrono::nanoseconds& target, bool zero_allowed) {
    return [&target, zero_allowed](const std::string& text) -> std::string {
        if (zero_allowed && text == "0") {
            target = std::chrono::nanoseconds(0);
            return {};
        }
        const auto parsed = parse_duration(text);
        if (!parsed) return parsed.error().what + " (such as 500ms, 10s, 5m)";
        if (*parsed < std::chrono::nanoseconds(0) || (*parsed == std::chrono::nanoseconds(0) && !zero_allowed)) {
            return "must be longer than zero";
        }
        target = *parsed;
        return {};
    };
}

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
                    {kUsage, {}, "rdmadoctor: " + std::string(error.what()) + "\nTry: " + usage_hint() + " --help\n"}};
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

    // Stores the value; gives what is wrong with it, else nothing.
    using Parse = std::function<std::string(const std::string&)>;

    static CLI::Option* add_parsed(CLI::App* command, const char* name, const char* type, const std::string& help,
                                   const Parse& parse) {
        // CLI11 wants a callback too, but only a check can complain.
        const auto done = [](const std::string&) {};
        return command->add_option_function<std::string>(name, done, help)->check(parse)->type_name(type);
    }

    static void add_duration(CLI::App* command, const char* name, std::chrono::nanoseconds& target, const char* help,
                             bool zero_allowed = false) {
        add_parsed(command, name, "TIME", std::string(help) + " [" + print_duration(target) + "]",
                   duration_into(target, zero_allowed));
    }

    static void add_kind(CLI::App* command, std::optional<Kind>& target) {
        const auto check = [&target](const std::string& text) -> std::string {
            Kind kind{};
            if (!kind_from_name(text, kind)) {
                std::string known;
                for (int i = 0; i < kKindCount; ++i) known += " " + std::string(name_of(static_cast<Kind>(i)));
                return "no such kind '" + printable(text) + "'; there are" + known;
            }
            target = kind;
            return {};
        };
        add_parsed(command, "--kind", "KIND", "only entities of this kind", check);
    }

    static void add_source(CLI::App* command, std::string& target) {
        command->add_option("--from", target, kSourceHelp)->type_name("SOURCE");
    }

    static void add_rule_source(CLI::App* command, RuleSource& target) {
        command->add_option("--config", target.config, "instead of /etc/rdmadoctor/rdmadoctor.toml")->type_name("FILE");
        command->add_option("--rules,--rules-dir", target.rules_dir, "site rules, instead of /etc/rdmadoctor/rules.d")
            ->type_name("DIR");
    }

    void add_check() {
        CLI::App* command = add(app_, "check", "say what is wrong with this host", check_);
        add_source(command, check_.from);
        add_rule_source(command, check_.rules);
        add_duration(command, "--interval", check_.interval, "between the two sweeps; 0: one sweep, no rates", true);
        add_duration(command, "--deadline", check_.deadline, "reading ends by then; what is missing is reported");
        const auto severity = [this](const std::string& text) -> std::string {
            return severity_from_name(text, check_.fail_on) ? "" : "one of info, low, medium, high, critical";
        };
        add_parsed(command, "--fail-on", "SEVERITY", "lesser findings exit with 0 [low]", severity);
        command->add_flag("--strict", check_.strict, "what only root could see counts as unknown (exit 3)");
        const auto style_named = [this](const std::string& text) -> std::string {
            for (const auto& [name, value] : kStyles) {
                if (name != text) continue;
                check_.style = value;
                return {};
            }
            return "one of text, json, nagios, npd, junit";
        };
        CLI::Option* style =
            add_parsed(command, "--style", "STYLE", "text, json, nagios, npd or junit [text]", style_named);
        command
            ->add_flag_function(
                "--json", [this](std::int64_t) { check_.style = Style::json; }, "the same as --style json")
            ->excludes(style);
    }

    void add_facts() {
        CLI::App* command = add(app_, "facts", "show what is known of this host", facts_);
        command->add_option("entity", facts_.entities, "mlx5_0, mlx5_0/1, ens1f0, 0000:41:00.0, ...")
            ->type_name("ENTITY");
        add_kind(command, facts_.kind);
        command->add_flag("--all", facts_.all, "also bulky kinds and counters without a description");
        command->add_flag("--list", facts_.list, "the catalogue: every fact there is, with its meaning");
        command->add_flag("--json", facts_.json, "machine-readable");
        add_source(command, facts_.from);
        command->add_option("--config", facts_.rules.config, "instead of /etc/rdmadoctor/rdmadoctor.toml")
            ->type_name("FILE");
        add_duration(command, "--deadline", facts_.deadline, "reading ends by then");
    }

    void add_rules() {
        CLI::App* rules = app_.add_subcommand("rules", "list, show and test the rules");
        rules->require_subcommand(1);
        CLI::App* list = add(*rules, "list", "all rules", rules_list_);
        add_rule_source(list, rules_list_.rules);
        list->add_flag("--json", rules_list_.json, "machine-readable");
        CLI::App* show = add(*rules, "show", "everything about one rule", rules_show_);
        show->add_option("id", rules_show_.id, "of the rule")->required()->type_name("ID");
        add_rule_source(show, rules_show_.rules);
        show->add_flag("--json", rules_show_.json, "machine-readable");
        CLI::App* test = add(*rules, "test", "run the examples of rules, and the mutation test", rules_test_);
        test->add_option("dir", rules_test_.directory, "instead of the shipped rules")->type_name("DIR");
        CLI::App* lint = add(*rules, "lint", "complain about rules as file:line:column", rules_lint_);
        lint->add_option("dir", rules_lint_.directory, "instead of the shipped rules")->type_name("DIR");
    }

    void add_explain() {
        CLI::App* command = add(app_, "explain", "tell what a rule or a fact means", explain_);
        command->add_option("term", explain_.terms, "rule ids and fact names (port.active_mtu or active_mtu)")
            ->required()
            ->type_name("TERM");
        add_rule_source(command, explain_.rules);
        command->add_flag("--json", explain_.json, "machine-readable");
    }

    void add_record() {
        CLI::App* command = add(app_, "record", "save what is read of this host in a bundle", record_);
        command->add_option("out", record_.out, "a directory, or NAME.tar, NAME.tar.gz, NAME.tar.zst")
            ->required()
            ->type_name("OUT");
        add_duration(command, "--duration", record_.duration, "from the first sweep to the last");
        command->add_option("--sweeps", record_.sweeps, "how many [2]")
            ->check(CLI::Range(2, 1000).description(""))
            ->type_name("N");
    }

    void add_schema() {
        CLI::App* command = add(app_, "schema", "print the JSON Schema of a command's --json output", schema_);
        command->add_option("command", schema_.command, "check, facts, rules or explain")->type_name("COMMAND");
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

    static constexpr std::pair<std::string_view, Style> kStyles[] = {{"text", Style::text},
                                                                     {"json", Style::json},
                                                                     {"nagios", Style::nagios},
                                                                     {"npd", Style::npd},
                                                                     {"junit", Style::junit}};

    CLI::App app_{"Says why RDMA on this host is slow, stalls or drops connections.", "rdmadoctor"};
    std::optional<Command> chosen_;
    CheckOptions check_;
    FactsOptions facts_;
    RulesListOptions rules_list_;
    RulesShowOptions rules_show_;
    RulesTestOptions rules_test_;
    RulesLintOptions rules_lint_;
    ExplainOptions explain_;
    RecordOptions record_;
    SchemaOptions schema_;
};

}  // namespace

Arguments parse_arguments(int argc, const char* const* argv) { return CommandLine().parse(argc, argv); }

}  // namespace rd::cli
