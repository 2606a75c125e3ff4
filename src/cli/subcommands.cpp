#include "cli/subcommands.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <array>

namespace holdfast::cli {

namespace {

struct subcommand {
    const char* name;
    void (*add)(CLI::App& app, action& chosen, const given_command& command);
};

/// Adapts a subcommand that runs no command of the user's.
template <void (*add_subcommand)(CLI::App&, action&)>
void without_command(CLI::App& app, action& chosen, const given_command& /*command*/) {
    add_subcommand(app, chosen);
}

/// In the order of `holdfast --help`.
constexpr std::array subcommands{
    subcommand{"run", add_run},
    subcommand{"elect", add_elect},
    subcommand{"once", add_once},
    subcommand{"acquire", without_command<add_acquire>},
    subcommand{"renew", without_command<add_renew>},
    subcommand{"release", without_command<add_release>},
    subcommand{"latch", without_command<add_latch>},
    subcommand{"ls", without_command<add_ls>},
    subcommand{"show", without_command<add_show>},
    subcommand{"top", without_command<add_top>},
    subcommand{"events", without_command<add_events>},
    subcommand{"web", without_command<add_web>},
    subcommand{"break", without_command<add_break>},
    subcommand{"ping", without_command<add_ping>},
    subcommand{"doctor", without_command<add_doctor>},
    subcommand{"demo", without_command<add_demo>},
    subcommand{"completion", without_command<add_completion>},
    subcommand{"man", without_command<add_man>},
};

} // namespace

std::vector<std::string> subcommand_names() {
    std::vector<std::string> out;
    out.reserve(subcommands.size());
    for (const auto& each : subcommands) { out.emplace_back(each.name); }
    return out;
}

void add_subcommands(CLI::App& app, action& chosen, const given_command& command,
                     const std::vector<std::string>& words) {
    const auto first = words.empty() ? std::string{} : words.front();
    if (first == "--version") { return; }
    const auto named = std::find_if(subcommands.begin(), subcommands.end(),
                                    [&](const subcommand& each) { return first == each.name; });
    if (named != subcommands.end() && first != "completion" && first != "man") {
        named->add(app, chosen, command);
        return;
    }
    for (const auto& each : subcommands) { each.add(app, chosen, command); }
}

} // namespace holdfast::cli
