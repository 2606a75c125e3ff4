// holdfast ls: all locks that are in use, or those that match.

#include "cli/commands.hpp"
#include "cli/coordination_info.hpp"
#include "cli/engine_flags.hpp"
#include "cli/exit_codes.hpp"
#include "cli/lock_json.hpp"
#include "cli/lock_rows.hpp"
#include "cli/lock_walk.hpp"
#include "cli/messages.hpp"
#include "cli/output.hpp"
#include "cli/url_form.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <memory>
#include <optional>
#include <unistd.h>

namespace holdfast::cli {

namespace {

struct ls_flags {
    engine_flags engine;
    std::vector<std::string> patterns;
    std::string sort;
    bool json = false;
};

/// False: stdout cannot be written to, which main() reports.
bool print_page(const std::vector<lock_info>& locks, text_table& table, bool json) {
    std::string out;
    for (const auto& lock : locks) {
        if (json) {
            out += as_json(lock);
        } else {
            add_rows(table, lock);
        }
    }
    return print(json ? out : table.take_text());
}

/// If only names are given, each also stands for the locks of its election and its once flag.
std::vector<std::string> with_coordination(const std::vector<std::string>& patterns) {
    auto out = patterns;
    for (const auto& pattern : patterns) {
        if (!lock_pattern{pattern}.is_name()) { return patterns; }
        for (const auto& lock : {election_lock(pattern), once_lock(pattern)}) {
            const bool fits = lock_pattern{lock}.prefix().size() <= limits::name_bytes;
            if (fits) { out.push_back(lock); }
        }
    }
    return out;
}

/// People might take an empty screen for a failure; programs read stdout.
void report_none(const ls_flags& flags) {
    if (flags.json || ::isatty(STDOUT_FILENO) == 0) { return; }
    print_message(flags.patterns.empty() ? "no lock is held or waited for"
                                         : "no lock that matches is held or waited for",
                  log_level::info);
}

int ls(const ls_flags& flags) {
    const auto client = parse_engine_flags(flags.engine).open();
    const lock_walk walk{client, with_coordination(flags.patterns)};
    text_table table{lock_titles(), {stdout_has_colours(), stdout_width()}};
    bool found = false;
    if (flags.sort.empty()) {
        walk.each_page([&](const auto& page) {
            found = found || !page.empty();
            return print_page(page, table, flags.json);
        });
        if (!found) { report_none(flags); }
        return exit_code::ok;
    }
    std::vector<lock_info> all;
    walk.each_page([&](const auto& page) {
        all.insert(all.end(), page.begin(), page.end());
        return true;
    });
    if (all.empty()) { report_none(flags); }
    sort_locks(all, *parse_lock_order(flags.sort));
    [[maybe_unused]] const bool printed = print_page(all, table, flags.json);
    return exit_code::ok;
}

constexpr const char* ls_notes = R"(Examples:
  holdfast ls                       every lock that is held or waited for
  holdfast ls 'stock:*'             names that match: * any bytes, ? one byte, \ quotes the next
  holdfast ls --sort waiters        the most wanted first
  holdfast ls --json | jq -r .name  a JSON object per line

HOLDER is host:pid, HELD the time since the grant, LEFT until the lease expires unless it is
renewed. COMMAND is known for processes of this host that still run. '-': the engine or the
layout does not know; of COMMAND also: the holder has died, or is on another host, or was
'holdfast acquire'. Without --sort rows go out page by page, in constant memory; --sort collects
all locks first. The layouts plain and redisson cannot be listed: give names instead of
patterns.)";

} // namespace

void add_ls(CLI::App& app, action& chosen) {
    const auto flags = std::make_shared<ls_flags>();
    auto* const sub = app.add_subcommand("ls", "List locks: who holds them, since when, who waits");
    sub->footer(ls_notes);
    sub->add_option("PATTERN", flags->patterns, "Names, or patterns with * and ?; default: all")
        ->check(refuse_url);
    sub->add_option("--sort", flags->sort,
                    "By name, age, waiters, left or token; collects all locks first")
        ->type_name("KEY")
        ->check(CLI::IsMember({"name", "age", "waiters", "left", "token"}));
    sub->add_flag("--json", flags->json, "Print a JSON object per lock and line");
    add_engine_flags(*sub, flags->engine);
    sub->callback([flags, &chosen] { chosen = [flags] { return ls(*flags); }; });
}

} // namespace holdfast::cli
