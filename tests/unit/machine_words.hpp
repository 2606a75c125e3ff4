#pragma once
// Describes what a machine did in one line, for the tables of expectations.

#include "holdfast/machine/lease_machine.hpp"
#include "holdfast/machine/waiter_machine.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::machine {

/// Virtual time begins here; all times in words are milliseconds since then.
inline constexpr base::instant begin_of_time{std::chrono::hours{1000}};

[[nodiscard]] constexpr base::instant at(double ms) {
    return begin_of_time +
           std::chrono::round<base::duration>(std::chrono::duration<double, std::milli>{ms});
}

/// e.g. "renewing, renew 3000, @2868": the state, the actions, and the wake-up.
[[nodiscard]] std::string words(const lease_machine& machine,
                                const lease_machine::actions& actions);

/// e.g. "asking, ask until 5000, @8000".
[[nodiscard]] std::string words(const waiter_machine& machine,
                                const waiter_machine::actions& actions);

[[nodiscard]] const char* word(loss why) noexcept;
[[nodiscard]] const char* word(lease_state value) noexcept;
[[nodiscard]] const char* word(lease_ending ending) noexcept;
[[nodiscard]] const char* word(wait_state value) noexcept;
[[nodiscard]] const char* word(waiter_machine::outcome outcome) noexcept;

/// The expectations of a table for one event, before and after a deadline.
struct table_row {
    std::string event;
    std::string before;
    std::string after;
};

/// One row per line of `event | before | after`; no third column: the same as the second.
[[nodiscard]] std::vector<table_row> parse_table(std::string_view text);

} // namespace holdfast::machine
