#pragma once
// Which nodes of a quorum may be asked for a vote; it has no clock, no thread and no I/O.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/answers.hpp"
#include "holdfast/engine/quorum/node_set.hpp"

#include <optional>
#include <string>
#include <vector>

namespace holdfast::engine::quorum {

/// State table of a node; "-" means: nothing changes.
///
///                  unjoined     joining            nameless     naming      joined
///  join is sent    joining      -                  naming       -           -
///  report with id  -            joined             -            joined      -
///  report without  -            nameless           -            unjoined    -
///  join failed     -            unjoined           -            unjoined    -
///  not_joined,
///  connection lost -            -                  unjoined     -           unjoined
///
/// A node without an identity is new, or has lost its data: nobody can tell. If all nodes are
/// nameless and seemed never to have been used a moment ago, the quorum is new, and all may vote at
/// once. Otherwise the node gets its identity now, and may vote when every lease that it may have
/// forgotten has ended.
///
/// A node that does not answer is silent: it is asked only once per `probe_pause`, unless the
/// others are too few for a majority.
///
/// Thread safety: none.
class membership {
public:
    static constexpr base::milliseconds probe_pause{100};
    /// After this time the look at a node says nothing any more: somebody may have used it since.
    static constexpr base::milliseconds longest_look{2000};

    /// `labels` name the nodes in messages; `max_lease` 0: nodes that lost data vote at once.
    membership(std::vector<std::string> labels, base::milliseconds max_lease);

    [[nodiscard]] unsigned size() const noexcept { return static_cast<unsigned>(nodes_.size()); }
    [[nodiscard]] const std::string& label(unsigned node) const { return nodes_[node].label; }

    enum class readiness : std::uint8_t {
        votes,   ///< ask it
        joining, ///< it will turn out soon
        down,    ///< do not ask it: see `trouble`
    };
    [[nodiscard]] readiness check(unsigned node, base::instant now) const noexcept;
    /// Whether to send a node something other than a vote: a renewal, a release.
    [[nodiscard]] bool reachable(unsigned node, base::instant now) const noexcept;
    /// For acquire_op::node_id; 0: it need not be checked.
    [[nodiscard]] std::uint64_t id_to_check(unsigned node) const noexcept;
    /// Why a node does not vote, for messages.
    [[nodiscard]] std::string trouble(unsigned node, base::instant now) const;
    /// Why some nodes vote later, in a sentence; empty: none does.
    [[nodiscard]] std::string why_some_wait(base::instant now) const;
    /// Why this quorum cannot be used at all: a node counts twice, or another max_lease is in use.
    [[nodiscard]] const std::string& defect() const noexcept { return defect_; }

    /// The join to send to a node now, because it is to vote, if any.
    [[nodiscard]] std::optional<join_op> next_join(unsigned node, base::instant now);
    /// The same, only to give a name to a node that has none, once it is known what the others are.
    [[nodiscard]] std::optional<join_op> next_naming(unsigned node, base::instant now);
    /// Whether a join of it is under way.
    [[nodiscard]] bool is_joining(unsigned node) const noexcept;
    void on_join_answer(unsigned node, const answer& answer, base::instant now);
    /// The node has lost its data, or its connection: it may be another one by now.
    void on_left(unsigned node) noexcept;
    /// All requests in flight are forgotten.
    void on_reset() noexcept;
    /// A definite answer of a node, or none.
    void on_contact(unsigned node) noexcept;
    void on_silence(unsigned node, const std::string& detail, base::instant now);
    /// Something is sent to it: if it is silent, the next probe comes later.
    void on_asked(unsigned node, base::instant now) noexcept {
        if (nodes_[node].silent) { nodes_[node].next_probe = now + probe_pause; }
    }

private:
    enum class state : std::uint8_t { unjoined, joining, nameless, naming, joined };
    struct member {
        std::string label;
        membership::state state = state::unjoined;
        std::uint64_t id = 0;
        base::instant votes_from{}; ///< by this client's clock
        bool tried = false;         ///< a join was answered or failed
        bool looks_new = false;
        base::instant looked{}; ///< when the look was sent that says so
        bool silent = false;
        base::instant next_probe{};
        std::string detail; ///< why it is silent
    };

    [[nodiscard]] bool may_probe(const member& node, base::instant now) const noexcept;
    [[nodiscard]] unsigned healthy() const noexcept;
    void find_duplicate(unsigned node);

    std::vector<member> nodes_;
    base::milliseconds max_lease_;
    std::string defect_;
};

/// A node's message without its beginning "Redis at HOST:PORT: ", for messages that name the node.
[[nodiscard]] std::string without_server(const std::string& detail);

} // namespace holdfast::engine::quorum
