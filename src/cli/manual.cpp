// The man page and the completions, generated from the same descriptions as --help.

#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"

#include <holdfast/version.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::cli {

namespace {

std::string escape_roff(const std::string& text) {
    std::string out;
    bool line_begins = true;
    for (const char letter : text) {
        if (line_begins && (letter == '.' || letter == '\'')) { out += "\\&"; }
        if (letter == '\\') {
            out += "\\e";
        } else if (letter == '-') {
            out += "\\-";
        } else {
            out += letter;
        }
        line_begins = letter == '\n';
    }
    return out;
}

/// The subcommands that --help lists.
std::vector<const CLI::App*> visible_subcommands(const CLI::App& app) {
    std::vector<const CLI::App*> out;
    for (const auto* const sub : app.get_subcommands(nullptr)) {
        if (!sub->get_group().empty()) { out.push_back(sub); }
    }
    return out;
}

std::string option_names(const CLI::Option& option) {
    std::string out;
    for (const auto& name : option.get_snames()) { out += (out.empty() ? "-" : ", -") + name; }
    for (const auto& name : option.get_lnames()) { out += (out.empty() ? "--" : ", --") + name; }
    return out.empty() ? option.get_name() : out;
}

std::string roff_options(const CLI::App& app) {
    std::string out;
    for (const auto* const option : app.get_options()) {
        out += ".TP\n.B " + escape_roff(option_names(*option));
        if (option->get_items_expected_max() > 0 && !option->get_positional()) {
            out += " " + escape_roff(option->get_type_name());
        }
        out += "\n" + escape_roff(option->get_description()) + "\n";
    }
    return out;
}

struct term_description {
    std::string term;
    std::string description;
};

std::vector<term_description> exit_statuses() {
    const auto code = [](int number) { return std::to_string(number); };
    return {
        {code(exit_code::ok), "Success; run: the command ran and exited with 0."},
        {code(exit_code::failed),
         "renew, release: that owner does not hold the lock any more. show: the lock is free. "
         "break: nobody held it, or you did not confirm. doctor: warnings."},
        {code(exit_code::doctor_danger), "doctor: at least one finding is a danger."},
        {code(exit_code::usage),
         "The command line is wrong, or the name is in use as another kind of lock."},
        {code(exit_code::unavailable), "The engine cannot be reached or used."},
        {code(exit_code::internal),
         "The output could not be written, or an internal error of holdfast."},
        {code(exit_code::busy), "Someone else holds the lock; -E changes this code."},
        {code(exit_code::lost), "The lock was lost; run has ended the command."},
        {code(exit_code::not_executable), "run: the command could not be started."},
        {code(exit_code::not_found), "run: the command was not found."},
        {code(exit_code::signalled) + "+N", "Signal N ended the command of run, or the wait."},
        {"any other", "run: the command's own."},
    };
}

std::vector<term_description> environment() {
    return {
        {"HOLDFAST_URL", "The engine; --url and --url-file take precedence."},
        {"HOLDFAST_LEASE", "The lease, unless --lease is given."},
        {"HOLDFAST_LOG", "quiet, info or verbose: how much run prints, unless -q or -v is given."},
        {"HOLDFAST_LOG_FORMAT", "text or json: lines with time and level, unless --log is given."},
        {"HOLDFAST_NAME, HOLDFAST_OWNER, HOLDFAST_TOKEN",
         "Set for the command of run, and printed by acquire; renew and release read them. With "
         "several names they have a line for each, in the order of the names."},
        {"NO_COLOR", "No colours on a terminal, if it is set and not empty."},
        {"HOLDFAST_RUN", "Set for the command of run: the locks that the enclosing runs hold."},
    };
}

std::string roff_section(const char* title, const std::vector<term_description>& entries) {
    std::string out = std::string{".SH "} + title + "\n";
    for (const auto& entry : entries) {
        out += ".TP\n.B " + escape_roff(entry.term) + "\n" + escape_roff(entry.description) + "\n";
    }
    return out;
}

std::string man_page(const CLI::App& app) {
    std::string out = ".TH HOLDFAST 1 \"\" \"Holdfast " HOLDFAST_VERSION_STRING "\"\n.SH NAME\n"
                      "holdfast \\- " +
                      escape_roff("run a job once across processes") + "\n.SH SYNOPSIS\n";
    for (const auto* const sub : visible_subcommands(app)) {
        out += ".B holdfast " + sub->get_name() + "\n[options]";
        for (const auto* const option : sub->get_options()) {
            if (option->get_positional()) { out += " " + escape_roff(option->get_name()); }
        }
        out += "\n.br\n";
    }
    out += ".SH DESCRIPTION\n" + escape_roff(app.get_description()) + "\n.nf\n" +
           escape_roff(app.get_footer()) + "\n.fi\n";
    for (const auto* const sub : visible_subcommands(app)) {
        out += ".SH HOLDFAST " + sub->get_name() + "\n" + escape_roff(sub->get_description()) +
               "\n" + roff_options(*sub) + ".PP\n.nf\n" + escape_roff(sub->get_footer()) +
               "\n.fi\n";
    }
    return out + roff_section("EXIT STATUS", exit_statuses()) +
           roff_section("ENVIRONMENT", environment());
}

std::string long_options(const CLI::App& app) {
    std::string out;
    for (const auto* const option : app.get_options()) {
        for (const auto& name : option->get_lnames()) { out += " --" + name; }
    }
    return out;
}

std::string bash_completion(const CLI::App& app) {
    std::string subs;
    std::string cases;
    for (const auto* const sub : visible_subcommands(app)) {
        subs += " " + sub->get_name();
        cases += "        " + sub->get_name() + ") words='" + long_options(*sub) + "' ;;\n";
    }
    return "_holdfast() {\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} words='' at\n"
           "    for ((at = 1; at < COMP_CWORD; at++)); do\n"
           "        [[ ${COMP_WORDS[at]} == -- ]] || continue\n"
           "        COMPREPLY=($(compgen -c -f -- \"$current\"))\n"
           "        return\n"
           "    done\n"
           "    case ${COMP_CWORD}:${COMP_WORDS[1]} in\n"
           "    1:*) words='" +
           subs +
           " --help --version' ;;\n"
           "    *) case ${COMP_WORDS[1]} in\n" +
           cases +
           "        esac ;;\n"
           "    esac\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
           "}\n"
           "complete -F _holdfast holdfast\n";
}

std::string zsh_completion(const CLI::App& app) {
    std::string out = "#compdef holdfast\n"
                      "_holdfast() {\n"
                      "    if (( CURRENT == 2 )); then\n"
                      "        compadd --";
    for (const auto* const sub : visible_subcommands(app)) { out += " " + sub->get_name(); }
    out += " --help --version\n        return\n    fi\n"
           "    if (( ${words[(I)--]} > 0 && ${words[(I)--]} < CURRENT )); then\n"
           "        _normal\n        return\n    fi\n"
           "    case ${words[2]} in\n";
    for (const auto* const sub : visible_subcommands(app)) {
        out += "        " + sub->get_name() + ") compadd --" + long_options(*sub) + " ;;\n";
    }
    return out + "    esac\n}\n"
                 "if [[ ${funcstack[1]} == _holdfast ]]; then _holdfast \"$@\"; "
                 "else compdef _holdfast holdfast; fi\n";
}

std::string fish_quote(const std::string& text) {
    std::string out;
    for (const char letter : text) {
        if (letter == '\'' || letter == '\\') { out += '\\'; }
        out += letter;
    }
    return out;
}

std::string fish_completion(const CLI::App& app) {
    std::string out = "complete -c holdfast -f\n";
    for (const auto* const sub : visible_subcommands(app)) {
        out += "complete -c holdfast -n __fish_use_subcommand -a " + sub->get_name() + " -d '" +
               fish_quote(sub->get_description()) + "'\n";
        for (const auto* const option : sub->get_options()) {
            for (const auto& name : option->get_lnames()) {
                out += "complete -c holdfast -n '__fish_seen_subcommand_from " + sub->get_name() +
                       "' -l " + name + " -d '" + fish_quote(option->get_description()) + "'\n";
            }
        }
    }
    return out;
}

int print_page(const std::string& text) {
    std::fputs(text.c_str(), stdout); // main() checks for failures
    return exit_code::ok;
}

} // namespace

void add_completion(CLI::App& app, action& chosen) {
    const auto shell = std::make_shared<std::string>();
    auto* const sub = app.add_subcommand("completion", "Print completions for a shell");
    sub->add_option("SHELL", *shell, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    sub->footer("Example:\n  source <(holdfast completion bash)");
    sub->callback([&app, shell, &chosen] {
        chosen = [&app, shell] {
            if (*shell == "zsh") { return print_page(zsh_completion(app)); }
            return print_page(*shell == "fish" ? fish_completion(app) : bash_completion(app));
        };
    });
}

void add_man(CLI::App& app, action& chosen) {
    auto* const sub = app.add_subcommand("man", "Print the man page");
    sub->footer("Example:\n  holdfast man | man -l -");
    sub->callback([&app, &chosen] { chosen = [&app] { return print_page(man_page(app)); }; });
}

} // namespace holdfast::cli
