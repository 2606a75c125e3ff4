#pragma once
// What the sentinels say about where the master is, and which of them is right; it has no I/O.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/redis/server_list.hpp"
#include "holdfast/engine/redis/topology/search_failure.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace holdfast::engine::redis {

/// Collects the answers of the sentinels to one question: where is the master? Sentinels raise the
/// config-epoch of a master with each failover, and learn of it from each other within seconds. So
/// the claim with the highest epoch is the newest.
///
/// State table of a sentinel:
///
///             silent       asked          named           ignorant       down
///  asked      asked        -              asked           asked          asked
///  names      named        named          named           named          named
///  switches   -            named          named           -              -      (with a claim)
///  ignorant   ignorant     ignorant       ignorant        -              ignorant
///  down       down         down           down            down           -
///
/// A sentinel that is asked again, or that goes down, keeps its claim: for `memory` after it went
/// down. So the others, which may not know of the failover yet, do not lead back to the old master.
///
/// State table of a search: the first row that applies.
///
/// | so far                                                       | verdict                |
/// |--------------------------------------------------------------|------------------------|
/// | nobody has named a master, somebody is asked                 | undecided              |
/// | nobody has named a master, all are ignorant                  | failed: unsupported    |
/// | nobody has named a master, all are down for the same reason  | failed: that reason    |
/// | nobody has named a master                                    | failed: unavailable    |
/// | somebody is asked, less than `settling` after the first named| undecided              |
/// | the claims of the highest epoch agree                        | found                  |
/// | most of all sentinels agree on one of them                   | found                  |
/// | else                                                         | failed: unavailable    |
///
/// Thread safety: none.
class master_claims {
public:
    /// How long the first answer waits for those of other sentinels.
    static constexpr base::milliseconds settling{30};
    static constexpr base::milliseconds memory{10'000};

    /// `sentinels` are their addresses, for messages.
    master_claims(std::vector<std::string> sentinels, std::string master);

    /// From now on, only answers that come after this count as answers.
    void start_search() noexcept;
    void on_asked(std::size_t sentinel) noexcept;
    void on_named(std::size_t sentinel, announced_address master, std::uint64_t epoch,
                  base::instant now);
    /// A push: its master has moved. The new epoch is not known, but higher than the former.
    void on_switched(std::size_t sentinel, announced_address master, base::instant now);
    void on_ignorant(std::size_t sentinel) noexcept; ///< it knows no master of that name
    void on_down(std::size_t sentinel, std::error_code code, std::string reason, base::instant now);

    enum class verdict : std::uint8_t { undecided, found, failed };
    [[nodiscard]] verdict decide(base::instant now) const;
    /// When an undecided search is decided without further answers.
    [[nodiscard]] base::instant due() const noexcept { return settled_; }
    /// By all claims; empty: there are none, or they contradict each other.
    [[nodiscard]] std::optional<announced_address> best(base::instant now) const;

    /// Of a failed search.
    [[nodiscard]] search_failure why(base::instant now) const;

    [[nodiscard]] std::size_t size() const noexcept { return sentinels_.size(); }
    /// How many sentinels name this address.
    [[nodiscard]] std::size_t supporters(const announced_address& master) const noexcept;
    /// One line about each sentinel that does not.
    [[nodiscard]] std::string dissent(const announced_address& master) const;

private:
    enum class state : std::uint8_t { silent, asked, named, ignorant, down };
    struct claim {
        announced_address master;
        std::uint64_t epoch = 0;
    };
    struct sentinel_state {
        std::string address;
        redis::master_claims::state state = state::silent;
        std::optional<claim> claimed{};
        base::instant down_since{};
        std::error_code code{};
        std::string reason{}; ///< why it is down; names it
    };

    [[nodiscard]] bool counts(const sentinel_state& sentinel, base::instant now) const noexcept;
    [[nodiscard]] std::vector<const claim*> newest(base::instant now) const;
    [[nodiscard]] std::size_t count(state wanted) const noexcept;
    [[nodiscard]] std::string text_of(const sentinel_state& sentinel) const;

    std::vector<sentinel_state> sentinels_;
    const std::string master_;
    base::instant settled_ = base::never; ///< of this search, once a sentinel has answered
};

} // namespace holdfast::engine::redis
