#pragma once
// This client's waiters for names of a quorum, and the nodes' hints that a name may be free.

#include "holdfast/base/clock.hpp"
#include "holdfast/base/random.hpp"
#include "holdfast/engine/quorum/node_set.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace holdfast::engine::quorum {

/// A release reaches the nodes one after the other, and each notifies its listeners. A name is
/// likely free when a majority has said so, or some milliseconds after the first: then one waiter
/// is woken per client, since only one can get it.
///
/// Clients that were woken by the same release may split the votes and all fail. After each such
/// failure the next wake-up of the name is delayed by a random time whose range doubles, up to
/// `longest_delay`, until somebody is granted the name or a majority says that it is held.
///
/// Thread safety: none.
class hints {
public:
    static constexpr base::milliseconds patience{5};
    static constexpr base::milliseconds shortest_delay{1};
    static constexpr base::milliseconds longest_delay{128};

    hints(unsigned nodes, std::uint64_t seed) noexcept : nodes_{nodes}, jitter_{seed} {}

    /// A waiter was refused. `split`: nobody had a majority.
    void add(const std::string& name, std::uint64_t number, bool split);
    /// It waits no longer; `served`: it was granted the name.
    void remove(std::uint64_t number, bool served);
    /// A node says that the name for which this waiter listens may be free.
    void on_hint(unsigned node, std::uint64_t number, base::instant now);

    /// When `take_due` may have something to wake.
    [[nodiscard]] base::instant due() const noexcept { return due_; }
    /// The waiters to wake now: one per name. Each moves to the end of its name's
    /// waiters, because it asks now.
    [[nodiscard]] std::vector<std::uint64_t> take_due(base::instant now);
    [[nodiscard]] std::size_t size() const noexcept { return names_of_.size(); }

private:
    struct waiting_name {
        std::deque<std::uint64_t> waiters; ///< in the order in which they came
        node_set hinted;                   ///< nodes whose hint was not used yet
        base::instant wake = base::never;
        unsigned splits = 0; ///< failures in a row
    };

    void find_due() noexcept;
    [[nodiscard]] base::duration delay(const waiting_name& name) noexcept;

    unsigned nodes_;
    base::jitter jitter_;
    std::map<std::string, waiting_name, std::less<>> names_;
    std::unordered_map<std::uint64_t, std::string> names_of_; ///< by the waiter's number
    base::instant due_ = base::never;
};

} // namespace holdfast::engine::quorum
