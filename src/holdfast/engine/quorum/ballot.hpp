#pragma once
// The ballot: one acquire, asked of all nodes of a quorum; it has no clock, no thread and no I/O.

#include "holdfast/engine/quorum/node_set.hpp"

#include <array>
#include <cstdint>

namespace holdfast::engine::quorum {

/// A node's answer in the present round.
enum class vote : std::uint8_t {
    open,    ///< not asked yet, or asked and not answered
    yes,     ///< granted with the proposed token
    low,     ///< refused only because a higher token was issued before
    no,      ///< another owner holds the name
    down,    ///< it certainly gave no vote: it could not be reached, or must not vote yet
    unknown, ///< no answer in time; it may have voted
};

enum class verdict : std::uint8_t {
    undecided,
    granted,   ///< a majority said yes
    propose,   ///< a majority is possible with a higher token: begin another round
    busy,      ///< so many said no that the others cannot make a majority
    no_quorum, ///< no majority, and nodes that did not answer decide it
};

/// Counts votes for one proposed token at a time.
///
/// State table: the first row that applies.
///
/// | so far                                                   | verdict                          |
/// |----------------------------------------------------------|----------------------------------|
/// | yes >= majority                                          | granted                          |
/// | yes + open >= majority                                   | undecided                        |
/// | yes + open + low >= majority, before the third round     | propose                          |
/// | more than N - majority said no, or low in the last round | busy                             |
/// | more than that may still say so                          | undecided                        |
/// | else                                                     | no_quorum                        |
///
/// An answer of an earlier round counts only in `may_hold`: the node may have given a vote then. A
/// node that gave no answer is not asked again in later rounds.
///
/// Thread safety: none.
class ballot {
public:
    /// A client that proposes again and again against others gives up and waits instead.
    static constexpr unsigned max_rounds = 3;

    ballot(unsigned nodes, std::uint64_t proposal) noexcept
        : nodes_{nodes}, proposal_{proposal}, highest_{proposal} {}

    /// The node may have a vote of an earlier ballot of this ticket.
    void on_earlier_vote(unsigned node) noexcept { voted_.add(node); }
    /// The node is sent the proposal: from now on it may hold a vote.
    void on_sent(unsigned node) noexcept { ++unsettled_[node]; }
    void on_yes(unsigned node, unsigned round, std::uint64_t token) noexcept;
    void on_low(unsigned node, unsigned round, std::uint64_t highest) noexcept;
    /// `no` or `down`: the request that was sent in `round` certainly gave no vote.
    void on_refused(unsigned node, unsigned round, vote refusal) noexcept;
    /// `down`, and nothing was sent to it.
    void on_skipped(unsigned node) noexcept { votes_[node] = vote::down; }
    void on_unknown(unsigned node, unsigned round) noexcept { set(node, round, vote::unknown); }

    [[nodiscard]] quorum::verdict verdict() const noexcept;
    /// After `propose`: another round, with a token above all that the nodes have named. `proposal`
    /// is the caller's next one. The nodes to ask are those whose vote is `open` then.
    void begin_round(std::uint64_t proposal) noexcept;

    [[nodiscard]] unsigned round() const noexcept { return round_; }
    [[nodiscard]] std::uint64_t proposal() const noexcept { return proposal_; }
    /// The highest token that a node has named.
    [[nodiscard]] std::uint64_t highest() const noexcept { return highest_; }
    [[nodiscard]] vote of(unsigned node) const noexcept { return votes_[node]; }
    [[nodiscard]] unsigned count(vote kind) const noexcept;
    /// Whether a node may have a vote of this ballot, of any round.
    [[nodiscard]] bool may_hold(unsigned node) const noexcept {
        return voted_.has(node) || unsettled_[node] > 0;
    }
    [[nodiscard]] unsigned nodes() const noexcept { return nodes_; }

private:
    void set(unsigned node, unsigned round, vote value) noexcept {
        if (round == round_) { votes_[node] = value; }
    }

    unsigned nodes_;
    unsigned round_ = 1;
    std::uint64_t proposal_;
    std::uint64_t highest_;
    std::array<vote, max_nodes> votes_{};
    std::array<std::uint8_t, max_nodes> unsettled_{}; ///< requests that were not refused
    node_set voted_;                                  ///< said yes in some round
};

} // namespace holdfast::engine::quorum
