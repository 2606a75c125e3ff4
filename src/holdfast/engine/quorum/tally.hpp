#pragma once
// Counts what the nodes say of one renewal, release or withdrawal; pure.

#include "holdfast/engine/answers.hpp"
#include "holdfast/engine/quorum/node_set.hpp"

namespace holdfast::engine::quorum {

/// What the nodes say of one renewal.
///
/// | so far                                   | verdict                              |
/// |------------------------------------------|--------------------------------------|
/// | renewed >= majority                      | renewed                              |
/// | lost > N - majority                      | lost: no majority can have it        |
/// | all have answered or failed              | unknown                              |
/// | else                                     | queued, which stands for undecided   |
///
/// A `reclaimed` vote counts as lost: the node had forgotten it and may have voted for another in
/// between; from the next renewal on it counts.
///
/// Thread safety: none.
class renewal_tally {
public:
    explicit renewal_tally(unsigned nodes) noexcept : nodes_{nodes} {}

    void add(unsigned node, op_status status) noexcept {
        answered_.add(node);
        if (status == op_status::renewed) { renewed_.add(node); }
        if (status == op_status::lost || status == op_status::reclaimed) { lost_.add(node); }
    }
    [[nodiscard]] op_status verdict() const noexcept {
        const auto majority = majority_of(nodes_);
        if (renewed_.count() >= majority) { return op_status::renewed; }
        if (lost_.count() > nodes_ - majority) { return op_status::lost; }
        return answered_.count() == nodes_ ? op_status::unknown : op_status::queued;
    }
    [[nodiscard]] bool decided() const noexcept { return verdict() != op_status::queued; }
    [[nodiscard]] bool lost_by(unsigned node) const noexcept { return lost_.has(node); }
    [[nodiscard]] unsigned renewed() const noexcept { return renewed_.count(); }

private:
    unsigned nodes_;
    node_set answered_;
    node_set renewed_;
    node_set lost_;
};

/// What the nodes say of a release or a withdrawal that was sent to those that may have a vote.
///
/// | so far                                                   | verdict                           |
/// |----------------------------------------------------------|-----------------------------------|
/// | released >= majority                                     | released                          |
/// | released + not answered + unknown < majority             | not_held: it was lost before      |
/// | all have answered or failed, and so few are unknown that |                                   |
/// | others can reach a majority without them                 | released                          |
/// | all have answered or failed                              | unknown                           |
/// | else                                                     | queued: undecided                 |
///
/// Thread safety: none.
class release_tally {
public:
    release_tally(unsigned nodes, node_set asked) noexcept : nodes_{nodes}, left_{asked} {}

    void add(unsigned node, op_status status) noexcept {
        if (status == op_status::unknown || status == op_status::failed) {
            if (left_.has(node)) { unknown_.add(node); }
            return;
        }
        left_.remove(node);
        unknown_.remove(node);
        const bool did = status == op_status::released || status == op_status::handed_off;
        if (did) { released_.add(node); }
    }
    [[nodiscard]] op_status verdict() const noexcept {
        const auto majority = majority_of(nodes_);
        if (released_.count() >= majority) { return op_status::released; }
        if (released_.count() + left_.count() < majority) { return op_status::not_held; }
        if (left_ != unknown_) { return op_status::queued; }
        return left_.count() <= nodes_ - majority ? op_status::released : op_status::unknown;
    }
    [[nodiscard]] bool decided() const noexcept { return verdict() != op_status::queued; }

private:
    unsigned nodes_;
    node_set left_; ///< may still have the vote
    node_set released_;
    node_set unknown_; ///< of those in `left_`: have failed to answer
};

} // namespace holdfast::engine::quorum
