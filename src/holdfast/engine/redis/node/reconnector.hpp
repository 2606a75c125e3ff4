#pragma once
// Connects again whenever a connection ends.

#include "holdfast/engine/redis/node/backoff.hpp"
#include "holdfast/engine/redis/node/connection.hpp"

#include <functional>
#include <memory>

namespace holdfast::engine::redis {

/// Keeps a node connected, with growing pauses between attempts.
///
///  closed     open: connecting
///  connecting the connection becomes ready: ready | it ends: ended
///  ready      the connection ends: ended
///  ended      reported once by `drive` or `take`; then, when `due`, or at once: connecting
///  closed, ended: if the source does not know the endpoint, the source opens it later
///
/// Thread safety: none.
class reconnector {
public:
    using greeter = std::function<connection::first_commands(base::instant)>;

    /// `greet` makes the first commands of each new connection.
    reconnector(const options& options, server_source& source, greeter greet);

    enum class change : std::uint8_t { none, ready, ended };

    /// Connects, if it is time to and the source knows where. Does nothing while a connection
    /// lives, nor before `drive` or `take` has reported that it ended.
    void open(base::instant now, connect_when when = connect_when::due);
    /// Does the I/O of the connection, if `ready` contains its descriptor. Reports each change
    /// once.
    change drive(std::span<const pollfd> ready, base::instant now,
                 const connection::reply_listener& on_reply);
    /// Processes bytes that a caller read from `plain_descriptor`.
    change take(std::span<const char> bytes, base::instant now,
                const connection::reply_listener& on_reply);
    void break_off(std::error_code code, std::string detail);
    /// The source knows an endpoint again: `drive` connects without a pause.
    void end_pause() noexcept { retry_ = {}; }

    [[nodiscard]] bool is_ready() const noexcept {
        return connection_ && connection_->state() == connection_state::ready;
    }
    /// It is ready, and `drive` has reported it: without I/O `drive` has nothing to do.
    [[nodiscard]] bool is_steady() const noexcept { return ready_reported_ && is_ready(); }
    /// The connection, also if it has ended, until the next is opened; null: none was opened yet.
    [[nodiscard]] connection* current() const noexcept { return connection_.get(); }
    /// Whether the connection has ended and the next is not opened yet.
    [[nodiscard]] bool is_down() const noexcept { return connection_ && !is_alive(); }
    /// Whether the connection has ended, and `drive` has not reported it yet.
    [[nodiscard]] bool has_end_to_report() const noexcept { return is_down() && !end_reported_; }
    [[nodiscard]] bool is_closed() const noexcept {
        return !connection_ || (!is_alive() && end_reported_);
    }
    /// Whether the connection that ended last had been ready before.
    [[nodiscard]] bool was_ready() const noexcept { return ready_reported_; }
    [[nodiscard]] std::error_code code() const noexcept { return code_; } ///< of the last failure
    [[nodiscard]] const std::string& detail() const noexcept { return detail_; }

    void pollables(std::vector<pollfd>& out) const;
    [[nodiscard]] base::instant due() const noexcept;

private:
    [[nodiscard]] bool is_alive() const noexcept {
        return connection_ && connection_->state() != connection_state::ended;
    }
    [[nodiscard]] change report(base::instant now) {
        return is_steady() ? change::none : report_change(now);
    }
    [[nodiscard]] change report_change(base::instant now);

    const options& options_;
    server_source& source_;
    greeter greet_;
    std::unique_ptr<connection> connection_;
    backoff wait_;
    base::instant retry_ = base::never;
    bool ready_reported_ = false;
    bool end_reported_ = false;
    std::error_code code_;
    std::string detail_;
};

} // namespace holdfast::engine::redis
