#pragma once
// A heartbeat whose items belong to several nodes of a cluster.

#include "holdfast/engine/redis/operations.hpp"
#include "holdfast/engine/redis/part_submitter.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace holdfast::engine::redis {

/// Sends one part to each node, and answers when all parts are answered, each item for itself: a
/// node that is down fails only its own items. An item whose slot has moved is sent once more by
/// itself, because then the server says where its lock is.
///
/// Thread safety: none. The parts keep it alive.
class split_beat final : public std::enable_shared_from_this<split_beat> {
public:
    using node_finder = std::function<const node*(const beat_op::item&)>;

    /// `whole` must not have a deadline of its own: each part is answered by `give_up`.
    split_beat(operation_ref whole, beat_op op, part_submitter& parts, base::instant give_up);

    void send(const node_finder& find);

private:
    class part;

    void send_part(std::vector<std::size_t> items, bool again);
    void on_part(const std::vector<std::size_t>& items, answer&& answer);
    void finish_part();

    const operation_ref whole_;
    const beat_op op_;
    part_submitter& parts_;
    const base::instant give_up_;
    std::vector<beat_answer> answers_; ///< per item
    std::size_t missing_ = 0;          ///< parts
};

} // namespace holdfast::engine::redis
