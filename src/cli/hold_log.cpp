#include "cli/hold_log.hpp"

#include "cli/duration.hpp"
#include "cli/messages.hpp"
#include "cli/token_text.hpp"

#include <chrono>

namespace holdfast::cli {

namespace {

std::string elapsed(base::instant since) {
    return format_duration(
        std::chrono::duration_cast<std::chrono::milliseconds>(base::boot_clock::now() - since));
}

} // namespace

void hold_log::acquired(const lease& held) {
    const auto token = token_text(held);
    print("acquired after " + elapsed(since_) + (token.empty() ? "" : ", token " + token) +
          ", lease " + format_duration(settings_.hold.lease));
    since_ = base::boot_clock::now();
}

void hold_log::released() const { print("released after " + elapsed(since_)); }

void hold_log::print(const std::string& text) const {
    if (settings_.verbosity != verbosity::verbose) { return; }
    print_message(quote_name(settings_.name) + ": " + text, log_level::info);
}

} // namespace holdfast::cli
