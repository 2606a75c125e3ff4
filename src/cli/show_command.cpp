// holdfast show: one lock, with everything that the engine knows of it.

#include "cli/commands.hpp"
#include "cli/duration.hpp"
#include "cli/engine_flags.hpp"
#include "cli/exit_codes.hpp"
#include "cli/lock_json.hpp"
#include "cli/lock_rows.hpp"
#include "cli/messages.hpp"
#include "cli/output.hpp"
#include "cli/party_text.hpp"
#include "cli/process_command.hpp"

#include <holdfast/admin.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <memory>

namespace holdfast::cli {

namespace {

struct show_flags {
    engine_flags engine;
    std::string name;
    bool json = false;
};

table_row party_row(const lock_info& lock, const party& party) {
    return {{origin_text(party)},
            {mode_text(lock, party)},
            {party.token == 0 ? "" : std::to_string(party.token)},
            {age_text(party)},
            {left_text(party)},
            {party.lease.count() > 0 ? format_duration(party.lease) : ""},
            {escape_text(party.owner)},
            {escape_text(party.note)},
            {escape_text(process_command(party))}};
}

std::string party_table(const lock_info& lock, const std::vector<party>& parties,
                        const char* age_title) {
    text_table table{
        {"#", "FROM", "MODE", "TOKEN", age_title, "LEFT", "LEASE", "OWNER", "NOTE", "COMMAND"},
        {stdout_has_colours(), stdout_width()}};
    for (std::size_t at = 0; at < parties.size(); ++at) {
        auto row = party_row(lock, parties[at]);
        row.insert(row.begin(), table_cell{std::to_string(at + 1)});
        table.add(std::move(row));
    }
    return table.take_text();
}

std::string as_text(const lock_info& lock) {
    std::string out = quote_name(lock.name) + ": " + kind_name(lock.kind);
    if (lock.kind == primitive::semaphore) { out += " of " + std::to_string(lock.limit); }
    if (lock.last_token != 0) { out += ", last token " + std::to_string(lock.last_token); }
    out += "\n\nHeld by " + std::to_string(lock.holders.size()) + "\n" +
           party_table(lock, lock.holders, "HELD");
    out += "\nWaiting, the next one first: " + std::to_string(lock.waiters.size()) + "\n" +
           party_table(lock, lock.waiters, "WAITED");
    return out;
}

int show(const show_flags& flags) {
    const auto client = parse_engine_flags(flags.engine).open();
    const auto found = admin{client}.inspect(flags.name);
    if (!found) {
        print_message(quote_name(flags.name) + " is free: nobody holds it or waits for it");
        return exit_code::failed;
    }
    [[maybe_unused]] const bool printed = print(flags.json ? as_json(*found) : as_text(*found));
    return exit_code::ok;
}

} // namespace

void add_show(CLI::App& app, action& chosen) {
    const auto flags = std::make_shared<show_flags>();
    auto* const sub =
        app.add_subcommand("show", "Show one lock: its holders, and its waiters in order");
    sub->footer(
        "LEASE is what was asked for, LEFT what remains of it, or for a waiter the time "
        "until the engine\ndrops it without a sign of life. Exit code 1: the lock is free.");
    sub->add_option("NAME", flags->name, "The lock")->required();
    sub->add_flag("--json", flags->json, "Print a JSON object, as 'ls --json' does");
    add_engine_flags(*sub, flags->engine);
    sub->callback([flags, &chosen] { chosen = [flags] { return show(*flags); }; });
}

} // namespace holdfast::cli
