#pragma once
// Renewals and waiters' heartbeats: those of a turn go out in few requests.

#include "holdfast/drive/participant.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace holdfast::drive {

/// One renewal or waiter's heartbeat.
struct heartbeat_request {
    std::shared_ptr<drive::participant> participant;
    engine::beat_op::item item;
    base::instant useful_until{}; ///< after it an answer is of no use
};

/// Collects what a turn asks for, groups it into batches and knows which batches are in flight.
///
/// Thread safety: none.
class heartbeats {
public:
    /// A batch that is ready to be submitted.
    struct started {
        engine::op operation;
        base::instant give_up = base::never;
        std::size_t count = 0; ///< of its requests
    };

    void add(heartbeat_request&& request) { pending_.push_back(std::move(request)); }
    [[nodiscard]] bool pending() const noexcept { return !pending_.empty(); }
    [[nodiscard]] std::vector<heartbeat_request> take_pending() noexcept {
        return std::exchange(pending_, {});
    }

    /// Puts the next batch of `requests` in flight as `id`: its requests, which come to be the
    /// first of `requests`, are moved away. Throws only if none was.
    [[nodiscard]] started start(std::span<heartbeat_request> requests, engine::op_id id,
                                base::instant now);
    [[nodiscard]] std::size_t in_flight() const noexcept { return in_flight_.size(); }

    /// Delivers the answer to a batch, if `answer` is to one.
    void complete(const engine::answer& answer, base::instant now) noexcept;
    /// Delivers `lost` as the answer to all batches up to `last`.
    void lose(engine::op_id last, const engine::answer& lost, base::instant now) noexcept;

private:
    struct batch {
        std::vector<heartbeat_request> requests;
        base::instant sent{};
    };
    using batches = std::unordered_map<engine::op_id, batch>;

    void complete(batches::iterator found, const engine::answer& answer,
                  base::instant now) noexcept;

    std::vector<heartbeat_request> pending_;
    batches in_flight_;
};

/// Moves the next batch to the front of `requests` and returns its size. Its requests have the same
/// lock format, and none is given up in less than half of its own time because another is more
/// urgent. REQUIRES: not empty.
[[nodiscard]] std::size_t select_batch(std::span<heartbeat_request> requests, base::instant now);

} // namespace holdfast::drive
