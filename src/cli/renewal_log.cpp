#include "cli/renewal_log.hpp"

#include "cli/duration.hpp"
#include "cli/messages.hpp"

#include <algorithm>
#include <chrono>

namespace holdfast::cli {

void renewal_log::update() {
    const auto failure = losses_.renewal_failure();
    if (failure.empty() != fails_) { return; }
    fails_ = !fails_;
    const bool is_wanted =
        settings_.verbosity == verbosity::verbose || current_log().format != log_format::plain;
    if (!is_wanted) { return; }
    const auto left = std::max(held_.remaining(), std::chrono::milliseconds{0});
    const auto subject = quote_names(settings_.names) + ": ";
    if (fails_) {
        print_message(settings_,
                      subject + "the lease could not be renewed (" + escape_text(failure) +
                          "); it ends in " + format_duration(left) + " unless a retry succeeds",
                      log_level::warning, {.event = "renewal_failed", .token = held_.log_tokens()});
        return;
    }
    print_message(settings_,
                  subject + "the lease is renewed again; " + format_duration(left) + " are left",
                  log_level::info, {.event = "renewal_recovered", .token = held_.log_tokens()});
}

} // namespace holdfast::cli
