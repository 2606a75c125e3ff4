// holdfast: locks for the shell.

#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/failure_code.hpp"
#include "cli/messages.hpp"

#include <holdfast/error.hpp>
#include <holdfast/version.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::cli {

namespace {

constexpr const char* examples = R"(Examples:
  holdfast run nightly -- ./job.sh        run a job once, wherever it is started from
  holdfast run -n deploy -- ./deploy.sh   or not at all if somebody is at it (exit 75)
  holdfast demo                           see it at work
  holdfast run --help                     all that 'run' can do

Locks are kept in a file of yours, for all processes of this host; --url or
HOLDFAST_URL names another place.)";

int main_or_throw(int argc, char** argv) {
    CLI::App app{"Locks for the shell: run a job once across processes.", "holdfast"};
    app.set_version_flag("--version", std::string{"holdfast "} + HOLDFAST_VERSION_STRING);
    app.require_subcommand(1);
    app.footer(examples);
    app.get_formatter()->column_width(28);
    std::vector<std::string> words{argv + 1, argv + argc};
    std::vector<std::string> command;
    const auto dashes = std::find(words.begin(), words.end(), "--");
    const bool has_dashes = dashes != words.end();
    if (has_dashes) {
        command.assign(dashes + 1, words.end());
        words.erase(dashes, words.end());
    }
    action chosen;
    add_run(app, chosen, has_dashes ? &command : nullptr);
    add_acquire(app, chosen);
    add_renew(app, chosen);
    add_release(app, chosen);
    add_demo(app, chosen);
    add_completion(app, chosen);
    add_man(app, chosen);
    try {
        std::reverse(words.begin(), words.end()); // as CLI11 wants them
        app.parse(std::move(words));
    } catch (const CLI::ParseError& wrong) {
        if (wrong.get_exit_code() == 0) { return app.exit(wrong); } // --help, --version
        tell(wrong.what());
        tell("see: holdfast --help, holdfast run --help");
        return exit_code::usage;
    }
    return chosen();
}

} // namespace

} // namespace holdfast::cli

int main(int argc, char** argv) {
    using namespace holdfast;
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    try {
        return cli::main_or_throw(argc, argv);
    } catch (const error& problem) {
        cli::tell(problem.what());
        return cli::code_of(problem);
    } catch (const std::exception& problem) {
        cli::tell(problem.what());
        return cli::exit_code::internal;
    }
}
