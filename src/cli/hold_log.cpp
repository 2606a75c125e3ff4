#include "cli/hold_log.hpp"

#include "cli/duration.hpp"
#include "cli/messages.hpp"

#include <algorithm>
#include <chrono>

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
    print("acquired after " + elapsed(since_) + (token.empty() ? "" : ", token " + token) +
          ", lease " + format_duration(settings_.hold.lease));
    since_ = base::boot_clock::now();
}

void hold_log::released() const { print("released after " + elapsed(since_)); }

void hold_log::print(const std::string& text) const {
    if (settings_.verbosity != verbosity::verbose) { return; }
    print_message(quote_names(settings_.names) + ": " + text, log_level::info);
}

} // namespace holdfast::cli
