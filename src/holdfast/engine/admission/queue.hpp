#pragma once
// The waiters of one name, first in, first out: the interface of all queues.

#include "holdfast/base/clock.hpp"
#include "holdfast/base/ids.hpp"
#include "holdfast/engine/admission/record.hpp"
#include "holdfast/engine/ops.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace holdfast::engine::admission {

/// One waiter. Kind and limit are in the record.
struct waiter {
    base::owner_id owner;
    holdfast::mode mode = mode::exclusive;
    unsigned permits = 1;
    queueing queue = queueing::grant; ///< grant or hint
    base::milliseconds lease{0};
    base::milliseconds min_hold{0};
    bool detached = false;
    base::instant alive_until{};    ///< dropped from here on unless touched
    std::int64_t since_wall_us = 0; ///< of the request
    client_process process;
    std::string note;
};

/// Whether a client's process is alive, on engines that can know.
class liveness {
public:
    [[nodiscard]] virtual bool is_alive(const base::client_id& client) const = 0;

protected:
    ~liveness() = default;
};

/// One reading of the clocks, used for a whole operation.
struct moment {
    base::instant now{};
    std::int64_t wall_us = 0;
    const liveness* clients = nullptr; ///< none: every client counts as alive

    [[nodiscard]] bool alive(const base::client_id& client) const {
        return clients == nullptr || clients->is_alive(client);
    }
    [[nodiscard]] bool dead(const waiter& waiter) const {
        return waiter.alive_until <= now || !alive(waiter.owner.client);
    }
};

/// The queue of one name. The admission rule counts the entries in record::waiting and makes no
/// call while that is 0. All functions but `visit` and `drop_dead` must take constant or
/// logarithmic time, so that the length of the queue does not slow a hand-off.
class waiter_queue {
public:
    /// The first waiter, valid until the next call; nullptr if the queue is empty.
    [[nodiscard]] virtual const waiter* front() = 0;
    /// Removes the first waiter and returns it. REQUIRES: not empty.
    [[nodiscard]] virtual waiter take() = 0;
    /// Appends a waiter. REQUIRES: its owner is not in the queue.
    virtual void push(waiter&& waiter) = 0;
    /// Sets alive_until; false if it is not in the queue. A waiter that is not dropped yet keeps
    /// its place, also if its alive_until has passed.
    virtual bool touch(const base::owner_id& owner, base::instant alive_until) = 0;
    /// False if it was not in the queue.
    virtual bool erase(const base::owner_id& owner) = 0;
    /// How many are before it: exact for the first `exact_places`, maybe too high for later ones.
    /// Empty if it is not in the queue.
    [[nodiscard]] virtual std::optional<unsigned> ahead(const base::owner_id& owner) = 0;
    /// Calls `visitor` for each waiter, in order.
    virtual void visit(const std::function<void(const waiter&)>& visitor) = 0;
    /// Removes every dead waiter, wherever it stands; returns how many.
    virtual unsigned drop_dead(const moment& at) = 0;

    static constexpr unsigned exact_places = 32;

protected:
    ~waiter_queue() = default;
};

} // namespace holdfast::engine::admission
