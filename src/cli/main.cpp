// holdfast: locks for the shell.

#include "cli/command_words.hpp"
#include "cli/commands.hpp"
#include "cli/error_exit_code.hpp"
#include "cli/error_words.hpp"
#include "cli/exit_codes.hpp"
#include "cli/log.hpp"
#include "cli/messages.hpp"
#include "cli/nearest_word.hpp"
#include "cli/output.hpp"
#include "cli/script_output.hpp"
#include "cli/subcommands.hpp"

#include <holdfast/error.hpp>
#include <holdfast/version.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <new>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace holdfast::cli {

namespace {

constexpr const char* examples = R"(Examples:
  holdfast run report -- ./report.sh      never two at a time: each start waits its turn and runs
  holdfast run -n deploy -- ./deploy.sh   exit with 75 if someone else holds the lock
  holdfast run -n --min-hold 50m --url redis://host nightly -- ./job.sh
                                          once a night: all machines start it, one of them runs it
  holdfast once schema-7 -- ./migrate.sh  one time ever: later starts get its exit code and output
  holdfast doctor --url redis://host      is this server safe for locks?
  holdfast ls                             who holds what, since when, who waits
  holdfast show deploy                    one lock, with its waiters in order
  holdfast demo                           show a lock at work
  holdfast run --help                     all options of 'run')";

constexpr const char* description =
    "Locks for the shell: commands that hold the same lock run one after the other.\n"
    "By default locks are in a file of this user on this host, which other users and hosts do not\n"
    "share; --url or HOLDFAST_URL names another engine, such as a Redis server for all hosts.\n";

/// Whether a shell is to evaluate the output. Works without the parser, which may have failed.
bool is_for_eval(int argc, char** argv) {
    const std::vector<std::string> words{argv + 1, argv + argc};
    return !words.empty() && words.front() == "acquire" &&
           std::find(words.begin(), words.end(), "--json") == words.end();
}

/// An empty value is most often an unset variable: `--lease "$LEASE"` must not mean the default.
void refuse_empty_values(CLI::App& app) {
    const auto require_text = [](const char* message) {
        return std::function<std::string(const std::string&)>{
            [message](const std::string& value) { return value.empty() ? message : ""; }};
    };
    for (auto* const sub : app.get_subcommands(nullptr)) {
        for (auto* const option : sub->get_options()) {
            if (option->get_items_expected_max() == 0) { continue; }
            option->check(require_text(option->get_positional()
                                           ? "it is empty; is a variable not set?"
                                           : "the value is empty; give one, or leave the option "
                                             "out"));
        }
    }
}

bool is_subcommand(const std::string& word) {
    const auto names = subcommand_names();
    return std::find(names.begin(), names.end(), word) != names.end();
}

/// `help`, `help run`, `man run` and `--man`, which other commands have.
void refuse_help_words(const std::vector<std::string>& words) {
    if (words.empty()) { return; }
    const auto& first = words.front();
    const bool names_one = words.size() > 1 && is_subcommand(words[1]);
    if (first == "help" || (first == "man" && names_one)) {
        throw error{errc::invalid_option,
                    "see: holdfast " + (names_one ? words[1] + " --help"
                                                  : std::string{"--help, or holdfast man"})};
    }
    if (first == "--man") { throw error{errc::invalid_option, "see: holdfast man"}; }
}

/// CLI11 would call it an unexpected argument.
void refuse_unknown_subcommand(const std::vector<std::string>& words) {
    if (words.empty() || words.front().starts_with('-')) { return; }
    if (is_subcommand(words.front())) { return; }
    const auto nearest = nearest_word(words.front(), subcommand_names());
    const auto advice =
        nearest.empty() ? std::string{"see: holdfast --help"} : "did you mean '" + nearest + "'?";
    throw error{errc::invalid_option,
                quote_name(words.front()) + " is not a command of holdfast; " + advice};
}

/// CLI11 would call the option's value the unexpected argument.
void refuse_leading_option(const CLI::App& app, const std::vector<std::string>& words) {
    if (words.empty() || !words.front().starts_with('-')) { return; }
    const auto option = words.front().substr(0, words.front().find('='));
    if (app.get_option_no_throw(option) != nullptr) { return; }
    const auto names = subcommand_names();
    const auto found = std::find_first_of(words.begin(), words.end(), names.begin(), names.end());
    const auto subcommand = found == words.end() ? std::string{"COMMAND"} : *found;
    throw error{errc::invalid_option,
                quote_name(option) + " comes before the command; options follow it: holdfast " +
                    subcommand + " " + escape_text(option) + " ..."};
}

int main_or_throw(int argc, char** argv) {
    CLI::App app{description, "holdfast"};
    app.set_version_flag("--version", std::string{"holdfast "} + HOLDFAST_VERSION_STRING);
    app.require_subcommand(1);
    app.footer(examples);
    app.get_formatter()->column_width(28);
    action chosen;
    given_command command;
    std::vector<std::string> words{argv + 1, argv + argc};
    refuse_help_words(words);
    refuse_unknown_subcommand(words);
    add_subcommands(app, chosen, command, words);
    refuse_empty_values(app);
    refuse_leading_option(app, words);
    const auto split = split_command_line(app, words);
    command.words.assign(words.begin() + split.command_begin, words.end());
    command.follows_dashes = split.command_begin != split.options_end;
    words.resize(static_cast<std::size_t>(split.options_end));
    const auto advice = words.empty() || words.front().starts_with('-')
                            ? std::string{"see: holdfast --help"}
                            : "see: holdfast " + words.front() + " --help";
    begin_log(words);
    if (!command.follows_dashes && !command.words.empty() && command.words[0].starts_with('-')) {
        throw error{errc::invalid_option, "'" + command.words[0] +
                                              "' after NAME: options go before NAME, or write -- "
                                              "before the command"};
    }
    try {
        std::reverse(words.begin(), words.end()); // CLI11 expects them in reverse
        app.parse(std::move(words));
    } catch (const CLI::ParseError& problem) {
        if (problem.get_exit_code() == 0) { return app.exit(problem); } // --help, --version
        print_message(problem.what());
        print_message(advice);
        return exit_code::usage;
    }
    return chosen();
}

} // namespace

} // namespace holdfast::cli

int main(int argc, char** argv) {
    using namespace holdfast;
    if (!cli::fill_closed_streams()) { return cli::exit_code::internal; } // there is no stderr
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    int code = cli::exit_code::internal;
    bool failed = true;
    try {
        code = cli::flush_output(cli::main_or_throw(argc, argv));
        failed = false;
    } catch (const error& problem) {
        cli::print_message(cli::command_failure(problem.what(), argc > 1 ? argv[1] : ""));
        code = cli::exit_code_for(problem);
    } catch (const std::bad_alloc&) {
        cli::print_message("no memory is left; free some and try again");
    } catch (const std::exception& problem) { cli::print_message(problem.what()); }
    if (code != cli::exit_code::ok && cli::is_for_eval(argc, argv)) {
        cli::print_eval_failure(code);
    }
    // A thread of the command, as that of `top`, may still use the engine: no static destructors.
    if (failed) {
        std::fflush(stdout);
        ::_exit(code);
    }
    return code;
}
