#include "cli/hold_log.hpp"

#include "cli/duration.hpp"
#include "cli/exit_codes.hpp"
#include "cli/messages.hpp"

#include <algorithm>
#include <chrono>
#include <sys/wait.h>

namespace holdfast::cli {

namespace {

std::string elapsed(base::instant since) {
    return format_duration(
        std::chrono::duration_cast<std::chrono::milliseconds>(base::boot_clock::now() - since));
}

} // namespace

void hold_log::acquired(const held_lock& held) {
    auto token = held.tokens();
    std::replace(token.begin(), token.end(), '\n', ' ');
    token_ = held.log_tokens();
    const auto waited = elapsed(since_);
    since_ = base::boot_clock::now();
    if (!settings_.election.empty()) {
        print_message(settings_,
                      quote_name(settings_.election) + ": in office" +
                          (token.empty() ? "" : ", term " + token) + ", after " + waited,
                      log_level::info, {.event = "granted", .token = token_});
        return;
    }
    print("acquired after " + waited + (token.empty() ? "" : ", token " + token) + ", lease " +
              format_duration(settings_.hold.lease),
          {.event = "granted", .token = token_});
}

void hold_log::command_ended(int status) const {
    const bool signalled = WIFSIGNALED(status);
    const int number = signalled ? WTERMSIG(status) : WEXITSTATUS(status);
    print("the command ended " + std::string{signalled ? "by signal " : "with exit code "} +
              std::to_string(number) + " after " + elapsed(since_),
          {.event = "command_ended",
           .token = token_,
           .exit_code = signalled ? exit_code::signalled + number : number});
}

void hold_log::lost(const loss_cause& cause, const std::string& ending) const {
    const bool advise = !cause.intended && settings_.election.empty();
    const bool names_one = settings_.names.size() > 1 && !cause.lock.empty();
    // Also with -q: it is an error, and cron mails it.
    const auto lock = "the lock " + (names_one ? quote_name(cause.lock) + " " : std::string{});
    const auto reason = cause.word == "max_hold"
                            ? "ended: " + cause.text
                            : lock + "was lost (" + escape_text(cause.text) + ")";
    print_message(quote_names(settings_.names) + ": " + reason + "; " + ending +
                      (advise ? "; run it again" : ""),
                  log_level::error,
                  {.event = "lost",
                   .reason = cause.word,
                   .token = token_,
                   .lost_lock = names_one ? std::string_view{cause.lock} : std::string_view{},
                   .exit_code = exit_code::lost});
}

void hold_log::released() const {
    print("released after " + elapsed(since_), {.event = "released", .token = token_});
}

void hold_log::print(const std::string& text, const log_fields& fields) const {
    if (settings_.verbosity != verbosity::verbose) { return; }
    print_message(quote_names(settings_.names) + ": " + text, log_level::info, fields);
}

} // namespace holdfast::cli
