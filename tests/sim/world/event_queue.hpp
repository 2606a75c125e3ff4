#pragma once
// What is to happen, in the order of time.

#include "sim/world/sim_time.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace holdfast::sim {

enum class event_kind : std::uint8_t {
    to_node,     ///< messages arrive; `index` is the link
    to_client,   ///< likewise
    client_wake, ///< a timer of client `index` is due
    caller_step, ///< caller `detail` of client `index` goes on
    client_back, ///< client `index` continues after a pause, or starts again after a crash
    node_back,   ///< node `index`, likewise
    to_replica,  ///< versions of a master's data arrive; `index` is the link of a replica_set
    to_master,   ///< acknowledgements arrive, likewise
    wait_over,   ///< the time of a WAIT on node `index` is over
    follow,      ///< node `index` is to follow the master
    tell,        ///< client `index` hears that node `detail` is the master
    fault,       ///< number `index` of the scenario; `detail` 1: it happens even if it is armed,
                 ///< 2: its second part happens
};

struct sim_event {
    sim_time when{};
    std::uint64_t serial = 0; ///< events of the same time happen in the order in which they came
    event_kind kind{};
    std::uint32_t index = 0;
    std::uint32_t detail = 0;
};

/// Thread safety: none.
class event_queue {
public:
    void add(sim_time when, event_kind kind, std::uint32_t index, std::uint32_t detail = 0) {
        heap_.push_back({when, ++serial_, kind, index, detail});
        std::push_heap(heap_.begin(), heap_.end(), later);
    }
    [[nodiscard]] bool empty() const noexcept { return heap_.empty(); }
    [[nodiscard]] const sim_event& first() const noexcept { return heap_.front(); }
    sim_event take() {
        std::pop_heap(heap_.begin(), heap_.end(), later);
        const auto out = heap_.back();
        heap_.pop_back();
        return out;
    }

private:
    static bool later(const sim_event& left, const sim_event& right) noexcept {
        return left.when != right.when ? left.when > right.when : left.serial > right.serial;
    }

    std::vector<sim_event> heap_;
    std::uint64_t serial_ = 0;
};

} // namespace holdfast::sim
