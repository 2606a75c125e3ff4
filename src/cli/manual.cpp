// The man page and the completions, generated from the same descriptions as --help.

#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/manual_sections.hpp"

#include <holdfast/version.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <array>
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

std::string roff_option(const CLI::Option& option) {
    std::string out = ".TP\n.B " + escape_roff(option_names(option));
    if (option.get_items_expected_max() > 0 && !option.get_positional()) {
        out += " " + escape_roff(option.get_type_name());
    }
    return out + "\n" + escape_roff(option.get_description()) + "\n";
}

/// Nearly every command has these: the page has them once.
bool is_common(const CLI::Option& option) {
    constexpr std::array names{"help", "url", "url-file", "connect-wait"};
    return std::any_of(names.begin(), names.end(),
                       [&](const char* name) { return option.check_lname(name); });
}

std::string roff_options(const CLI::App& app) {
    std::string out;
    for (const auto* const option : app.get_options()) {
        if (!is_common(*option)) { out += roff_option(*option); }
    }
    return out;
}

/// Of a command that has all of them.
std::string common_options(const CLI::App& subcommand) {
    std::string out = ".SH OPTIONS OF ALL COMMANDS THAT USE LOCKS\n";
    for (const auto* const option : subcommand.get_options()) {
        if (is_common(*option)) { out += roff_option(*option); }
    }
    return out;
}

std::string roff_section(const manual_section& section) {
    std::string out = ".SH " + section.title + "\n";
    for (const auto& [term, description] : section.entries) {
        if (!term.empty()) { out += ".TP\n.B " + escape_roff(term) + "\n"; }
        out += escape_roff(description) + "\n";
    }
    return out;
}

/// What follows the options: `NAME... -- COMMAND...`, `[PATTERN...]`.
std::string arguments(const CLI::App& subcommand) {
    std::string out;
    for (const auto* const option : subcommand.get_options()) {
        if (!option->get_positional()) { continue; }
        const bool takes_more = option->get_items_expected_max() > 1 ||
                                subcommand.get_allow_extras(); // the further names of run
        const auto name = option->get_name() + (takes_more ? "..." : "");
        out += option->get_required() ? " " + name : " [" + name + "]";
    }
    const auto& word = subcommand.get_name();
    const bool runs_command = word == "run" || word == "elect" || word == "once";
    return out + (runs_command ? " -- COMMAND [ARGUMENT...]" : "");
}

std::string man_page(const CLI::App& app) {
    std::string out =
        ".TH HOLDFAST 1 \"\" \"Holdfast " HOLDFAST_VERSION_STRING "\"\n.nh\n.ad l\n.SH NAME\n"
        "holdfast \\- " +
        escape_roff("run commands under a lock, one at a time across processes and hosts") +
        "\n.SH SYNOPSIS\n";
    for (const auto* const sub : visible_subcommands(app)) {
        out += ".B holdfast " + sub->get_name() + "\n[options]" + escape_roff(arguments(*sub)) +
               "\n.br\n";
    }
    out += ".SH DESCRIPTION\n" + escape_roff(app.get_description()) + "\n.nf\n" +
           escape_roff(app.get_footer()) + "\n.fi\n" + common_options(*app.get_subcommand("run"));
    for (const auto* const sub : visible_subcommands(app)) {
        out += ".SH HOLDFAST " + sub->get_name() + "\n" + escape_roff(sub->get_description()) +
               "\n" + roff_options(*sub) + ".PP\n.nf\n" + escape_roff(sub->get_footer()) +
               "\n.fi\n";
    }
    for (const auto& section : manual_sections()) { out += roff_section(section); }
    return out;
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
