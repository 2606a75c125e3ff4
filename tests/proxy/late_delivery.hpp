#pragma once
// Random choices by which a proxy delivers requests late, out of order and twice.

#include "proxy/faults.hpp"
#include "proxy/frame.hpp"

#include <array>
#include <chrono>
#include <iterator>
#include <random>

namespace holdfast::test {

/// Affects only requests that change a lock: SET and EVALSHA.
struct late_delivery_terms {
    unsigned seed = 0;      ///< the same seed gives the same choices
    int one_delayed_in = 0; ///< one of so many requests is delayed; 0: none
    int one_repeated_in = 0;
    std::chrono::milliseconds least{0}; ///< delay
    std::chrono::milliseconds most{0};
};

class late_delivery {
public:
    explicit late_delivery(const late_delivery_terms& terms) : terms_{terms}, random_{terms.seed} {}

    /// Whether this request, and what its connection sends after it, is delivered late.
    [[nodiscard]] bool delays(const redis_reply& request) {
        return changes_a_lock(request) && happens_once_in(terms_.one_delayed_in);
    }
    /// Whether a copy of it is delivered later, on a connection of its own.
    [[nodiscard]] bool repeats(const redis_reply& request) {
        return changes_a_lock(request) && happens_once_in(terms_.one_repeated_in);
    }
    [[nodiscard]] std::chrono::milliseconds delay() {
        return std::chrono::milliseconds{between(terms_.least.count(), terms_.most.count())};
    }
    /// How a late connection ends for the client.
    [[nodiscard]] ending ending_for_client() {
        constexpr std::array all{ending::silence, ending::reset, ending::close};
        return all.at(static_cast<std::size_t>(between(0, std::ssize(all) - 1)));
    }

private:
    [[nodiscard]] static bool changes_a_lock(const redis_reply& request) {
        const auto name = command_name(request);
        return name == "SET" || name == "EVALSHA";
    }
    [[nodiscard]] bool happens_once_in(int times) { return times > 0 && between(1, times) == 1; }
    [[nodiscard]] long between(long least, long most) {
        return std::uniform_int_distribution<long>{least, most}(random_);
    }

    late_delivery_terms terms_;
    std::minstd_rand random_;
};

} // namespace holdfast::test
