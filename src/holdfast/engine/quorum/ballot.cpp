#include "holdfast/engine/quorum/ballot.hpp"

#include <algorithm>

namespace holdfast::engine::quorum {

void ballot::on_yes(unsigned node, unsigned round, std::uint64_t token) noexcept {
    voted_.add(node);
    // A lower token would not keep the next holder's above it. A higher one is of an earlier
    // proposal: the other nodes do not know it, and may know a token in between.
    highest_ = std::max(highest_, token);
    set(node, round, proposal_ == 0 || token == proposal_ ? vote::yes : vote::low);
}

void ballot::on_low(unsigned node, unsigned round, std::uint64_t highest) noexcept {
    highest_ = std::max(highest_, highest);
    --unsettled_[node];
    set(node, round, vote::low);
}

void ballot::on_refused(unsigned node, unsigned round, vote refusal) noexcept {
    --unsettled_[node];
    set(node, round, refusal);
}

unsigned ballot::count(vote kind) const noexcept {
    return static_cast<unsigned>(std::count(votes_.begin(), votes_.begin() + nodes_, kind));
}

quorum::verdict ballot::verdict() const noexcept {
    using result = quorum::verdict;
    const auto majority = majority_of(nodes_);
    const auto yes = count(vote::yes);
    const auto open = count(vote::open);
    const auto low = count(vote::low);
    const auto no = count(vote::no);
    if (yes >= majority) { return result::granted; }
    if (yes + open >= majority) { return result::undecided; }
    const bool last = round_ >= max_rounds;
    if (!last && yes + open + low >= majority) { return result::propose; }
    const auto refused = no + (last ? low : 0);
    if (refused > nodes_ - majority) { return result::busy; }
    // Which of the two it is the missing answers may still decide.
    return refused + open > nodes_ - majority ? result::undecided : result::no_quorum;
}

void ballot::begin_round(std::uint64_t proposal) noexcept {
    ++round_;
    proposal_ = std::max(proposal, highest_ + 1);
    for (unsigned node = 0; node < nodes_; ++node) {
        auto& each = votes_[node];
        if (each == vote::yes || each == vote::low) { each = vote::open; }
    }
}

} // namespace holdfast::engine::quorum
