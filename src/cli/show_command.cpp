// holdfast show: one lock, with everything that the engine knows of it.

#include "cli/commands.hpp"
#include "cli/coordination_info.hpp"
#include "cli/duration.hpp"
#include "cli/engine_flags.hpp"
#include "cli/error_words.hpp"
#include "cli/exit_codes.hpp"
#include "cli/lock_json.hpp"
#include "cli/lock_rows.hpp"
#include "cli/messages.hpp"
#include "cli/output.hpp"
#include "cli/party_text.hpp"
#include "cli/process_command.hpp"
#include "cli/url_form.hpp"

#include <holdfast/admin.hpp>
#include <holdfast/error.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace holdfast::cli {

namespace {

struct show_flags {
    engine_flags engine;
    std::string name;
    bool json = false;
};

/// The clock time of the grant or the request, to the second; empty: not known.
std::string since_text(const party& party) {
    if (party.since.time_since_epoch().count() == 0) { return {}; }
    constexpr std::size_t quote = 1;
    constexpr std::size_t to_second = 19; // 2026-01-31T23:59:59
    return json_time(party.since).substr(quote, to_second) + "Z";
}

table_row party_row(const lock_info& lock, const party& party) {
    return {{origin_text(party)},
            {mode_text(lock, party)},
            {party.token == 0 ? "" : std::to_string(party.token)},
            {age_text(party)},
            {since_text(party)},
            {left_text(party)},
            {party.lease.count() > 0 ? format_duration(party.lease) : ""},
            {escape_text(party.owner)},
            {escape_text(party.note)},
            {escape_text(process_command(party))}};
}

std::string party_table(const lock_info& lock, const std::vector<party>& parties,
                        const char* age_title) {
    text_table table{{"#", "FROM", "MODE", "TOKEN", age_title, "SINCE", "LEFT", "LEASE", "OWNER",
                      "NOTE", "COMMAND"},
                     {stdout_has_colours(), stdout_width()}};
    for (std::size_t at = 0; at < parties.size(); ++at) {
        auto row = party_row(lock, parties[at]);
        row.insert(row.begin(), table_cell{std::to_string(at + 1)});
        table.add(std::move(row));
    }
    return table.take_text();
}

/// A line that says what it is, and the tables of holders and waiters.
std::string with_parties(std::string head, const lock_info& lock, const std::string& holder_word,
                         const std::string& waiter_word) {
    head += "\n\n" + holder_word + " " + std::to_string(lock.holders.size()) + "\n" +
            party_table(lock, lock.holders, "HELD");
    head += "\n" + waiter_word + ", the next one first: " + std::to_string(lock.waiters.size()) +
            "\n" + party_table(lock, lock.waiters, "WAITED");
    return head;
}

std::string as_text(const lock_info& lock) {
    std::string head = quote_name(lock.name) + ": " + kind_name(lock.kind);
    if (lock.kind == primitive::semaphore) { head += " of " + std::to_string(lock.limit); }
    if (lock.last_token != 0) { head += ", last token " + std::to_string(lock.last_token); }
    return with_parties(std::move(head), lock, "Held by", "Waiting");
}

std::string as_text(const election_info& election, const std::string& name) {
    std::string head = quote_name(name) + ": election";
    if (election.term != 0) { head += ", term " + std::to_string(election.term); }
    if (!election.value.empty()) { head += ", value \"" + escape_text(election.value) + '"'; }
    return with_parties(std::move(head), election.office, "Led by", "Candidates");
}

std::string as_text(const once_info& once, const std::string& name) {
    std::string head = quote_name(name) + ": once";
    if (once.is_done) {
        head += ", done";
        if (once.exit_code) { head += ", exit code " + std::to_string(*once.exit_code); }
        if (once.running.name.empty()) { return head + "\n"; }
    }
    return with_parties(std::move(head), once.running, "Run by", "Waiting");
}

std::string as_text(const latch_state& latch, const std::string& name) {
    return quote_name(name) + ": latch, " + std::to_string(latch.arrived) + " of " +
           std::to_string(latch.expected) + " have arrived" + (is_open(latch) ? ": open" : "") +
           "\n";
}

std::string as_text(const std::optional<lock_info>& lock, const coordination_info& others,
                    const std::string& name) {
    std::string out = lock ? as_text(*lock) : "";
    const auto add = [&](const auto& found) {
        if (found) { out += (out.empty() ? "" : "\n") + as_text(*found, name); }
    };
    add(others.election);
    add(others.once);
    add(others.latch);
    return out;
}

/// A server that is out of memory, or a user with few rights, may still show the lock.
coordination_info find_others(const client& client, const std::string& name, bool is_lock) {
    try {
        return find_coordination(client, name);
    } catch (const error& refused) {
        if (!is_lock) { throw; }
        print_message("only the lock is shown: " + command_failure(refused.what(), "show"),
                      log_level::warning);
        return {};
    }
}

/// The locks once:NAME and election:NAME are free between their uses; NAME may have a result.
std::string hint_at_coordination(const client& client, const std::string& lock) {
    for (const std::string_view prefix : {"once:", "election:"}) {
        if (!lock.starts_with(prefix)) { continue; }
        const auto name = lock.substr(prefix.size());
        if (name.empty() || find_others(client, name, true).empty()) { return {}; }
        return "; what that name has is shown by: holdfast show " + name_text(name);
    }
    return {};
}

int show(const show_flags& flags) {
    const auto client = parse_engine_flags(flags.engine).open();
    const auto lock = admin{client}.inspect(flags.name);
    const auto others = find_others(client, flags.name, lock.has_value());
    if (!lock && others.empty()) {
        print_message(quote_name(flags.name) +
                      " is free: nobody holds it or waits for it, and no election, once or latch "
                      "of that name is in use" +
                      hint_at_coordination(client, flags.name) + hint_at_url(flags.name));
        return exit_code::failed;
    }
    const auto text = flags.json ? (lock ? as_json(*lock) : "") + as_json(others, flags.name)
                                 : as_text(lock, others, flags.name);
    [[maybe_unused]] const bool printed = print(text);
    return exit_code::ok;
}

} // namespace

void add_show(CLI::App& app, action& chosen) {
    const auto flags = std::make_shared<show_flags>();
    auto* const sub = app.add_subcommand(
        "show",
        "Show one lock: its holders, and its waiters in order; or an election, once or latch");
    sub->footer(
        "SINCE is the time of the grant or the request in UTC. LEASE is what was asked for, LEFT\n"
        "what remains of it, or for a waiter the time until the engine drops it without a sign of\n"
        "life. '-': the engine or the layout does not know, as LEASE on embedded:. COMMAND is '-'\n"
        "on another host, when the process has died, and of a lock that 'holdfast acquire' took.\n"
        "Exit code 1: the name is not in use.");
    sub->add_option("NAME", flags->name, "The lock")->required();
    sub->add_flag("--json", flags->json,
                  "Print a JSON object, as 'ls --json' does; one per use of the name");
    add_engine_flags(*sub, flags->engine);
    sub->callback([flags, &chosen] { chosen = [flags] { return show(*flags); }; });
}

} // namespace holdfast::cli
