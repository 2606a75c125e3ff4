#pragma once
// The connection on which a client asks for a cluster's slots.

#include "holdfast/engine/redis/node/reconnector.hpp"
#include "holdfast/engine/redis/options.hpp"
#include "holdfast/engine/redis/topology/search_failure.hpp"
#include "holdfast/engine/redis/topology/slot_map.hpp"

#include <span>
#include <string>
#include <vector>

namespace holdfast::engine::redis {

/// Asks the nodes of a list in turn, until one knows the slots. It is connected to one node at a
/// time, and stays connected for the next question. It speaks RESP2: in RESP3 the reply contains
/// maps, which old versions of hiredis cannot read.
///
///  idle      ask: asking
///  asking    a node replies with slots: idle, `found` | it fails, is slow, or knows no slots: the
///            next one is asked | the last one does: idle, `failed`
///
/// Thread safety: none.
class map_link final : private server_source {
public:
    explicit map_link(const options& options);

    /// `another`: do not begin with the node that it is connected to. While it is asking, it asks
    /// once more afterwards, because the reply may have been sent before the reason to ask.
    void ask(std::vector<net::endpoint> servers, bool another, base::instant now);
    [[nodiscard]] bool is_asking() const noexcept { return asking_; }

    enum class outcome : std::uint8_t { none, found, failed };
    /// Does the I/O. Reports each end of a search once.
    [[nodiscard]] outcome drive(std::span<const pollfd> ready, base::instant now);
    /// After `found`.
    [[nodiscard]] const std::vector<slot_range>& slots() const noexcept { return slots_; }
    /// After `failed`: that of the last node, or of one that will not change.
    [[nodiscard]] const search_failure& why() const noexcept { return failure_; }

    void pollables(std::vector<pollfd>& out) const { reconnector_.pollables(out); }
    [[nodiscard]] base::instant due() const noexcept;
    /// After an exception: see node::reset.
    void reset() noexcept;

private:
    [[nodiscard]] std::optional<net::endpoint> endpoint(base::instant now,
                                                        connect_when when) override;
    [[nodiscard]] std::string server() const override;
    [[nodiscard]] std::optional<rejection> reject(const hello& hello) const override;

    void close(base::instant now);
    void begin(base::instant now);
    void ask_current(base::instant now);
    void ask_next(base::instant now);
    void send_query(base::instant now);
    void on_data(const reply& reply);
    void note_failure(std::error_code code, std::string text);

    const options options_; ///< with shorter time-outs
    reconnector reconnector_;
    std::vector<net::endpoint> servers_;
    std::vector<net::endpoint> waiting_; ///< the servers of the next search; empty: there is none
    std::size_t tried_ = 0;              ///< of `servers_`
    std::size_t current_ = 0;            ///< in `servers_`
    bool asking_ = false;
    bool query_in_flight_ = false;
    base::instant asked_{};
    bool answered_ = false; ///< `slots_` are new
    bool failed_ = false;   ///< the current node cannot say
    std::vector<slot_range> slots_;
    search_failure failure_;
};

} // namespace holdfast::engine::redis
