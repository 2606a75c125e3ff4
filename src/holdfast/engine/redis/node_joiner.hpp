#pragma once
// Answers join: makes a server a node of a quorum.

#include "holdfast/engine/redis/node/node.hpp"
#include "holdfast/engine/redis/options.hpp"

#include <string_view>

namespace holdfast::engine::redis {

/// How long a server that may have lost its data must not vote: until every lease that it may have
/// forgotten has ended, by clocks whose rates differ by 1 % (P1), and a little more.
[[nodiscard]] constexpr base::milliseconds rejoin_delay(base::milliseconds max_lease) noexcept {
    return max_lease + max_lease / 50 + base::milliseconds{2000};
}

/// Answers `join_op`. A server is a node from its first join on: the script writes a key with an id
/// and the instant from which on the server votes. A server that loses its data loses the key too.
///
/// A new server may vote at once. Two things show that a server without the key is new: it has been
/// up for longer than any lease lasts, and the marker script is not loaded. Every join loads that
/// script, and a server keeps scripts until it is restarted; deleting its data does not delete them.
///
///   key      marker    up for       the server
///   present                         is a node
///   absent   absent    > the delay  is new: it votes at once
///   absent   absent    less         may have been restarted: it votes after the delay
///   absent   present                lost its data, or another client has loaded the marker and is
///                                   about to write the key. The join fails; if the next one, 100 ms
///                                   later, still finds none, the server votes after the delay
///
/// In layouts that others share there is no room for the key: the server's run id stands in for it.
///
/// Thread safety: none.
class node_joiner final : public request_handler {
public:
    explicit node_joiner(const options& options) : options_{options} {}

    /// REQUIRES: node.is_ready().
    void begin(operation& operation, const join_op& op, node& node, base::instant now);

    [[nodiscard]] bool on_reply(request& request, const reply& reply, base::instant now) override;
    void on_error(request& request, const server_error& error, base::instant now) override;

private:
    enum class request_kind : std::uint8_t { info, marker, load, join };

    void on_info(operation& operation, std::string_view info) const;
    void send_join(operation& operation, base::instant now);
    [[nodiscard]] bool on_join_reply(operation& operation, const reply& reply, base::instant now);

    const options& options_;
    base::instant absent_since_ = base::never; ///< the marker was there, and the key was not
};

} // namespace holdfast::engine::redis
