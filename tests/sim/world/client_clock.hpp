#pragma once
// The clocks of a simulated client's machine.

#include "holdfast/base/clock.hpp"
#include "sim/world/sim_time.hpp"

#include <algorithm>
#include <cstdint>

namespace holdfast::sim {

/// Thread safety: none.
class client_clock final : public base::time_source {
public:
    /// `true_now` outlives it. `boot_is_wall`: the planted mistake that deadlines depend on the
    /// wall clock.
    client_clock(const sim_time& true_now, clock_rate rate, sim_time wall_offset,
                 bool boot_is_wall) noexcept
        : true_now_{true_now},
          rate_{rate},
          wall_offset_{wall_offset},
          boot_is_wall_{boot_is_wall} {}

    [[nodiscard]] base::instant now() const noexcept override {
        if (ending_) { end_ += std::chrono::hours{1}; }
        return begin + rate_.shown(true_now_) + end_ + (boot_is_wall_ ? steps_ : sim_time{0});
    }
    [[nodiscard]] std::int64_t wall_us() const noexcept override {
        const auto shown = epoch + rate_.shown(true_now_) + wall_offset_ + steps_;
        return std::chrono::duration_cast<std::chrono::microseconds>(shown).count();
    }
    /// A quorum needs clocks that differ by less than 30 s: it stays well within that.
    void step_wall(sim_time by) noexcept {
        constexpr sim_time most = std::chrono::seconds{10};
        steps_ = std::clamp(steps_ + by, -most, most);
    }

    /// The first true time at which `now()` is at least `instant`.
    [[nodiscard]] sim_time true_time(base::instant instant) const noexcept {
        if (instant == base::never) { return never_again; }
        const auto shown = instant - begin - (boot_is_wall_ ? steps_ : sim_time{0});
        return shown <= sim_time::zero() ? sim_time::zero() : rate_.when(shown);
    }

    /// From now on it leaps at each reading, so that nobody waits for anything: its client ends.
    void end() noexcept { ending_ = true; }

    /// Later than the boot clock of this machine: the driver's real timer never fires.
    static constexpr base::instant begin{std::chrono::hours{24 * 365 * 100}};
    /// Of wall clocks.
    static constexpr sim_time epoch{std::chrono::seconds{1'794'775'732}};

private:
    const sim_time& true_now_;
    clock_rate rate_;
    sim_time wall_offset_;
    sim_time steps_{0};
    bool boot_is_wall_;
    bool ending_ = false;
    mutable sim_time end_{0};
};

} // namespace holdfast::sim
