#pragma once
// Who waits for one name, first in, first out.

#include "holdfast/base/clock.hpp"
#include "holdfast/base/ids.hpp"
#include "holdfast/engine/admission/record.hpp"
#include "holdfast/engine/ops.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace holdfast::engine::admission {

/// Kind and limit are the record's: they cannot change while anybody waits.
struct waiter {
    base::owner_id owner;
    holdfast::mode mode = mode::exclusive;
    unsigned permits = 1;
    queueing queue = queueing::grant; ///< grant or hint
    base::milliseconds lease{0};
    base::milliseconds min_hold{0};
    bool detached = false;
    base::instant alive_until{};    ///< dropped from here on unless heard of
    std::int64_t since_wall_us = 0; ///< of the request
    place from;
    std::string note;
};

/// Tells whether a client is still there, on engines that can know.
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

/// The queue of one name. The gate counts the entries in record::waiting and calls nothing here
/// while that is 0. All but `visit` and `drop_dead` must take constant or logarithmic time: a
/// hand-off may not cost more because many wait.
class waiter_queue {
public:
    /// The first, valid until the next call; nullptr if there is none.
    [[nodiscard]] virtual const waiter* front() = 0;
    /// Removes and gives the first. REQUIRES: not empty.
    [[nodiscard]] virtual waiter take() = 0;
    /// At the end. REQUIRES: its owner is not in the queue.
    virtual void push(waiter&& waiter) = 0;
    /// Sets alive_until; false if it is not in the queue. One that was silent for too long, but
    /// whom nobody has dropped yet, is heard of just in time and keeps its place.
    virtual bool touch(const base::owner_id& owner, base::instant alive_until) = 0;
    /// False if it was not in the queue.
    virtual bool erase(const base::owner_id& owner) = 0;
    /// How many are before it: exact for the first `exact_places`, later ones may be told more than
    /// there are. Empty if it is not in the queue.
    [[nodiscard]] virtual std::optional<unsigned> ahead(const base::owner_id& owner) = 0;
    /// In order.
    virtual void visit(const std::function<void(const waiter&)>& see) = 0;
    /// Removes every dead waiter, wherever it stands; says how many.
    virtual unsigned drop_dead(const moment& at) = 0;

    static constexpr unsigned exact_places = 32;

protected:
    ~waiter_queue() = default;
};

} // namespace holdfast::engine::admission
