#pragma once
// Which incarnation of its data a server has (`max_lease` in the URL).

#include "holdfast/engine/redis/node/pipeline.hpp"
#include "holdfast/engine/redis/node/script_cache.hpp"
#include "holdfast/engine/redis/node/server_source.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace holdfast::engine::redis {

/// A server that was restarted, promoted or emptied may lack grants that still count. Its data then
/// has another incarnation. Nothing new is granted there until every lease that it may lack has
/// ended, but holders make theirs again: see docs/decisions/0022 and scripts/verify.lua.
///
///  off        no max_lease: always known
///  unknown    a connection begins: asking
///  asking     known: known | claimed: following | max_lease differs: unknown, with a fault
///             the script is gone: pausing
///  following  enough replicas acknowledge: asking, to begin the grace period
///             too few, or an error: pausing
///  pausing    time passes: asking
///  known      the server says that it is stale: asking
///             an answer names another one, or one that is claimed: unknown, with a fault
///  any        an error: unknown, with a fault | the connection ends: unknown
///
/// Operations are sent only while it is known. A request is executed in the incarnation that its
/// client knows, or refused as stale, with one exception: a connection can outlive a demotion and
/// promotion of its server (REPLICAOF and back), and then a record of the incarnation before looks
/// complete. So with replicas each batch of requests is followed by the question, and counts only
/// if the incarnation is still the same: ids do not come back. Without replicas the question is
/// repeated before another server can have granted anything. A fault ends the connection.
///
/// Thread safety: none.
class incarnation final : public request_handler {
public:
    incarnation(pipeline& requests, script_cache& scripts, const std::string& prefix,
                base::milliseconds max_lease, unsigned replicas);

    void start_session(base::instant now);
    void end_session() noexcept;

    [[nodiscard]] bool is_on() const noexcept { return state_ != state::off; }
    [[nodiscard]] bool is_known() const noexcept {
        return state_ == state::off || state_ == state::known;
    }
    /// In hexadecimal digits, as the scripts take it. REQUIRES: is_on(), is_known().
    [[nodiscard]] const std::string& id() const noexcept { return id_; }
    /// Since the last call it became known, for the first time or again.
    [[nodiscard]] bool take_news() noexcept { return std::exchange(news_, false); }
    /// Why the connection must end, to follow the server's address in a message.
    [[nodiscard]] const std::optional<rejection>& fault() const noexcept { return fault_; }

    /// Before a request: asks again, if the last answer is old.
    void refresh(base::instant now);
    /// Behind requests: asks again.
    void confirm(base::instant now);
    /// A script refused a request because the incarnation is not the one that the client knows.
    void on_stale(base::instant now);
    /// Asks again after a pause.
    void on_timer(base::instant now);
    [[nodiscard]] base::instant due() const noexcept { return due_; }
    /// Why it is not known yet, to follow the server's address in a message.
    [[nodiscard]] std::string trouble() const;

    [[nodiscard]] bool on_reply(request& request, const reply& reply, base::instant now) override;
    void on_error(request& request, const server_error& error, base::instant now) override;

private:
    enum class state : std::uint8_t { off, unknown, asking, following, pausing, known };
    enum class request_kind : std::uint8_t { verify, write, wait };

    void ask(std::string_view claimed, base::instant now);
    void ask_replicas(base::instant now);
    void on_verified(const reply& reply, base::instant now);
    void pause(base::instant now);
    void fail(std::error_code code, std::string reason);

    pipeline& requests_;
    script_cache& scripts_;
    const std::string key_;
    const std::string ack_key_;
    const base::milliseconds max_lease_;
    const unsigned replicas_;
    state state_;
    std::string id_;
    bool news_ = false;
    unsigned questions_ = 0; ///< in flight
    base::instant asked_{};
    base::instant verified_{}; ///< when the question was sent that was answered last
    base::instant due_ = base::never;
    std::optional<rejection> fault_;
};

/// How long nothing new is granted: clocks may differ in rate by 1 % on either side.
[[nodiscard]] constexpr base::milliseconds grace_period(base::milliseconds max_lease) noexcept {
    return max_lease + max_lease / 50 + base::milliseconds{1000};
}

} // namespace holdfast::engine::redis
