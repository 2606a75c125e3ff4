#pragma once
// Operations of a cluster that are done in parts.

#include "holdfast/engine/ops.hpp"
#include "holdfast/engine/redis/operation.hpp"

#include <memory>

namespace holdfast::engine::redis {

/// Implemented by the engine.
class part_submitter {
public:
    part_submitter() = default;
    part_submitter(const part_submitter&) = delete;
    part_submitter& operator=(const part_submitter&) = delete;

    /// Like `submit`, but the answer goes to `receiver`. `at`: the node that gets it; null: that of
    /// its lock.
    virtual void submit_part(const op& op, node* at, std::shared_ptr<answer_receiver> receiver,
                             base::instant give_up) = 0;

protected:
    ~part_submitter() = default;
};

} // namespace holdfast::engine::redis
