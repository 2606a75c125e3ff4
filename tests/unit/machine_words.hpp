#pragma once
// Says in one line what a machine did, so that a table of expectations can be read as a table.

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

/// e.g. "renewing, renew 3000, @2868": the state, what is to be done, and the wake-up.
[[nodiscard]] std::string words(const lease_machine& machine, const lease_machine::actions& todo);

/// e.g. "asking, ask until 5000, @8000".
[[nodiscard]] std::string words(const waiter_machine& machine, const waiter_machine::actions& todo);

[[nodiscard]] const char* word(loss why) noexcept;
[[nodiscard]] const char* word(lease_state what) noexcept;
[[nodiscard]] const char* word(lease_ending ending) noexcept;
[[nodiscard]] const char* word(wait_state what) noexcept;
[[nodiscard]] const char* word(waiter_machine::outcome outcome) noexcept;

/// What a table expects of one event, before and after a deadline.
struct table_row {
    std::string event;
    std::string before;
    std::string after;
};

/// One row per line of `event | before | after`; no third column: the same as the second.
[[nodiscard]] std::vector<table_row> parse_table(std::string_view text);

} // namespace holdfast::machine
