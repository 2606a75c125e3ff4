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

/// Answers `join_op`. A server is a node from its first join on: the script writes a key with an
/// id, the server's run id and the instant from which on the server votes. A server that loses its
/// data loses the key too; one that is restarted has another run id, and may have lost the last
/// seconds or minutes of its data although it has the key.
///
/// Two things show that a server without the key was probably never used: it has been up for longer
/// than any lease lasts (by its wall clock, which may have been stepped), and the marker script is
/// not loaded. Every join loads that script, and a server keeps scripts until it is restarted;
/// deleting its data does not delete them. The quorum believes it only if all its nodes look new.
///
/// A restart ends all connections. So the node counts as joined only on the connection on which the
/// join was answered: `is_joined`.
///
/// In layouts that others share there is no room for the key: the server's run id stands in for it.
///
/// Thread safety: none.
class node_joiner final : public request_handler {
public:
    explicit node_joiner(const options& options) : options_{options} {}

    /// Whether a join was answered on the present connection.
    [[nodiscard]] bool is_joined() const noexcept { return joined_; }
    void on_connected() noexcept { joined_ = false; }

    /// REQUIRES: node.is_ready().
    void begin(operation& operation, const join_op& op, node& node, base::instant now);

    [[nodiscard]] bool on_reply(request& request, const reply& reply, base::instant now) override;
    void on_error(request& request, const server_error& error, base::instant now) override;

private:
    enum class request_kind : std::uint8_t { info, marker, load, join };

    [[nodiscard]] bool only_identifies(const join_progress& progress) const noexcept;
    void on_info(operation& operation, std::string_view info);
    void send_join(operation& operation, base::instant now);
    [[nodiscard]] bool on_join_reply(operation& operation, const reply& reply);

    const options& options_;
    bool joined_ = false;
};

} // namespace holdfast::engine::redis
