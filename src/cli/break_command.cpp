// holdfast break: ends the holds of a lock.

#include "cli/commands.hpp"
#include "cli/coordination_info.hpp"
#include "cli/engine_flags.hpp"
#include "cli/exit_codes.hpp"
#include "cli/messages.hpp"
#include "cli/number_check.hpp"
#include "cli/party_text.hpp"
#include "cli/url_form.hpp"

#include <holdfast/admin.hpp>
#include <holdfast/error.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace holdfast::cli {

namespace {

struct break_flags {
    engine_flags engine;
    std::string name;
    std::uint64_t token = 0;
    bool yes = false;
};

std::string with_token(const party& holder) {
    return describe(holder) + (holder.token == 0 ? "" : ", token " + std::to_string(holder.token));
}

/// The holders that a break with this token ends; 0: all.
std::vector<party> affected_holders(const lock_info& lock, std::uint64_t token) {
    auto out = lock.holders;
    std::erase_if(out, [token](const party& each) { return token != 0 && each.token != token; });
    return out;
}

/// Asks on the terminal. Throws if there is none.
bool user_confirms(const break_flags& flags) {
    if (flags.yes) { return true; }
    if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0) {
        throw error{errc::invalid_option,
                    "break: there is no terminal to ask on; give --yes if you are sure"};
    }
    std::cerr << "holdfast: break " << quote_name(flags.name)
              << "? Its holder may continue until the notice reaches it. [y/N] " << std::flush;
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
}

/// The holds that were broken, and all that hold the lock now.
void report_end(const admin& admin, const std::string& name, const std::vector<party>& broken) {
    std::string ended;
    for (const auto& holder : broken) { ended += (ended.empty() ? "" : ", ") + with_token(holder); }
    ended = quote_name(name) + ": the hold of " + ended + " is broken";
    std::error_code failure;
    const auto now = admin.inspect(name, failure);
    if (failure) { return print_message(ended); } // only the rest of the report is missing
    if (!now || now->holders.empty()) { return print_message(ended + "; the lock is free"); }
    std::string holders;
    for (const auto& holder : now->holders) {
        holders += (holders.empty() ? "" : ", ") + with_token(holder);
    }
    print_message(ended + "; now held by " + holders);
}

/// An election and a once flag hold a lock with another name.
std::string hint_at_others(const admin& admin, const std::string& name) {
    for (const auto& [word, lock] :
         {std::pair{"election", election_lock(name)}, std::pair{"once", once_lock(name)}}) {
        std::error_code ignored;
        const auto found = admin.inspect(lock, ignored);
        if (!found || found->holders.empty()) { continue; }
        return "; the " + std::string{word} + " of that name holds the lock " + quote_name(lock);
    }
    return {};
}

/// The token to break: what the user was shown, so that a hold which begins meanwhile stays.
std::uint64_t shown_token(const std::vector<party>& holders, std::uint64_t given) {
    if (given != 0 || holders.size() != 1) { return given; }
    return holders.front().token;
}

int break_lock(const break_flags& flags) {
    const auto client = parse_engine_flags(flags.engine).open();
    const admin admin{client};
    const auto found = admin.inspect(flags.name);
    const auto holders = found ? affected_holders(*found, flags.token) : std::vector<party>{};
    const auto not_held = quote_name(flags.name) + " is not held" +
                          (flags.token == 0 ? "" : " with token " + std::to_string(flags.token));
    if (holders.empty()) {
        print_message(not_held + "; nothing was done" + hint_at_others(admin, flags.name) +
                      hint_at_url(flags.name));
        return exit_code::failed;
    }
    for (const auto& holder : holders) {
        print_message(quote_name(flags.name) + " is held by " + with_token(holder));
    }
    if (!user_confirms(flags)) {
        print_message("nothing was done");
        return exit_code::failed;
    }
    if (!admin.break_lock(flags.name, {.only_token = shown_token(holders, flags.token)})) {
        print_message(quote_name(flags.name) + ": that hold has ended meanwhile; nothing was done");
        return exit_code::failed;
    }
    report_end(admin, flags.name, holders);
    return exit_code::ok;
}

constexpr const char* break_notes = R"(Examples:
  holdfast break deploy                  shows the holder and asks
  holdfast break deploy --yes --token 17 only if the hold with token 17 is still there

The engine notifies the holder: 'holdfast run' ends its command at once and exits with 76. The
next waiter gets the lock with a higher token. Until the notice arrives both may believe that
they hold it, and only a store that checks tokens is safe: end the holder first if you can.
Exit code 1: nobody held it, or not with that token, or you did not confirm.)";

/// Tokens are below it.
constexpr std::uint64_t largest_token = (std::uint64_t{1} << 53U) - 1;

} // namespace

void add_break(CLI::App& app, action& chosen) {
    const auto flags = std::make_shared<break_flags>();
    auto* const sub =
        app.add_subcommand("break", "End the holds of a lock; the next waiter gets it");
    sub->footer(break_notes);
    sub->add_option("NAME", flags->name, "The lock")->required();
    sub->add_option("--token", flags->token, "Only the hold with this token; readers share one")
        ->type_name("N")
        ->check(whole_number(1, largest_token));
    sub->add_flag("-y,--yes", flags->yes, "Do not ask; required without a terminal");
    add_engine_flags(*sub, flags->engine);
    sub->callback([flags, &chosen] { chosen = [flags] { return break_lock(*flags); }; });
}

} // namespace holdfast::cli
