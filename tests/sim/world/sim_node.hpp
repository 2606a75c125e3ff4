#pragma once
// A node of a run: a simulated server with a clock of its own.

#include "sim/node/sim_redis.hpp"
#include "sim/world/client_clock.hpp"
#include "sim/world/sim_time.hpp"

#include <cstdint>
#include <deque>

namespace holdfast::sim {

struct sim_node {
    sim_node(script_library& scripts, unsigned number, clock_rate clock, sim_time clock_offset)
        : server{scripts, number}, rate{clock}, offset{clock_offset} {
        constexpr std::int64_t long_ago = 100'000; // seconds: a server that is new in the quorum
        server.set_clock(clock_us(sim_time{0}));
        server.set_uptime(long_ago);
    }

    /// What its clock shows, in microseconds since 1970.
    [[nodiscard]] std::int64_t clock_us(sim_time now) const {
        const auto shown = client_clock::epoch + rate.shown(now) + offset;
        return std::chrono::duration_cast<std::chrono::microseconds>(shown).count();
    }

    /// The true time at which it shows that.
    [[nodiscard]] sim_time true_time(std::int64_t us) const {
        return rate.when(std::chrono::microseconds{us} - client_clock::epoch - offset);
    }

    /// As a snapshot file: call it after each request. Some requests later it is old.
    void save() {
        constexpr unsigned requests_between = 8;
        constexpr std::size_t kept = 4;
        if (++requests % requests_between != 0) { return; }
        saved.push_back(server.keys().all());
        if (saved.size() > kept) { saved.pop_front(); }
    }
    /// Restarts with what it had saved. `age`: which of the snapshots that it has.
    void restore(unsigned age) {
        const auto which = age % (saved.size() + 1);
        server.keys().restore(which == 0 ? key_space::map{} : saved[which - 1]);
        server.replication().note_change(server.keys());
    }

    sim_redis server;
    clock_rate rate;
    sim_time offset;
    unsigned requests = 0;
    std::deque<key_space::map> saved{}; ///< from the oldest to the latest
    sim_time ready_at{};                ///< it processes nothing before; `never_again`: it is down
};

} // namespace holdfast::sim
