#pragma once
// Batches the renewals and waiters' heartbeats of a turn into few requests.

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
    base::instant useful_until{}; ///< a later answer does not help
};

/// Collects the requests of a turn, groups them into batches and tracks the batches in flight.
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

    /// Puts the next batch of `requests` in flight as `id`. Reorders `requests` so that the batch
    /// comes first, and moves it out. If it throws, nothing was moved.
    [[nodiscard]] started start(std::span<heartbeat_request> requests, engine::op_id id,
                                base::instant now);
    [[nodiscard]] std::size_t in_flight() const noexcept { return in_flight_.size(); }

    /// Delivers `answer` if it belongs to a batch.
    void complete(const engine::answer& answer, base::instant now) noexcept;
    /// Delivers `lost` as the answer to all batches up to `last`.
    void fail_up_to(engine::op_id last, const engine::answer& lost, base::instant now) noexcept;

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
