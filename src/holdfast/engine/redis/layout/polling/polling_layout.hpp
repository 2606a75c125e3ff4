#pragma once
// The layout of locks without a queue on the server, as other libraries write them.

#include "holdfast/engine/redis/layout/lock_layout.hpp"
#include "holdfast/engine/redis/layout/polling/late_acquires.hpp"
#include "holdfast/engine/redis/layout/polling/local_waiters.hpp"
#include "holdfast/engine/redis/layout/polling/polling_commands.hpp"
#include "holdfast/engine/redis/layout/polling/unanswered_releases.hpp"

#include <array>
#include <memory>

namespace holdfast::engine::redis {

/// A waiter subscribes to the channel of the lock and asks again, after a message or a delay.
///
///   free                 plain: SET NX, nothing else       redisson: its script
///   held, a try          busy
///   held, to be waited   SUBSCRIBE, then the script, on the same connection: no release after
///                        that is missed. Then `queued`.
///   a message            the first of this client's waiters gets `maybe_free` and asks again
///   no message           a waiter's beat is answered `lost` without the server: ask again
///
/// An acquire whose connection ended without a reply is repeated on the next connection. The first
/// request may arrive last: after its ticket was released, and after later holders.
///
///   after its not-after              scripts refuse it
///   redisson, or plain with tokens   its release leaves a release memory: scripts refuse it
///   plain without tokens             it takes the lock, and is withdrawn: see late_acquires.hpp
///
/// An acquire that is withdrawn while its first request is in flight sends no second one: the
/// withdrawal is behind the first and would not take back what the second gets.
///
/// Thread safety: none.
class polling_layout final : public lock_layout, private message_handler {
public:
    polling_layout(const options& options, const client_identity& identity, operations& operations,
                   std::unique_ptr<polling_commands> commands);

    [[nodiscard]] capabilities caps(primitive kind, bool fenced) const override;
    [[nodiscard]] const char* reject_unsupported(const op& op) const override;
    [[nodiscard]] bool complete_locally(operation& operation, const op& op) override;
    void begin(operation& operation, const op& op, command_channel& channel,
               base::instant now) override;
    void on_ready(base::instant now) override;
    [[nodiscard]] bool has_timers() const noexcept override { return true; }
    [[nodiscard]] base::instant due() const noexcept override;
    void on_timer(const channel_finder& find, base::instant now) override;

    [[nodiscard]] bool on_reply(request& request, const reply& reply, base::instant now) override;
    void on_lost(request& request, bool may_arrive, base::instant now) override;

private:
    enum class request_kind : std::uint8_t {
        take, ///< an acquire without a script
        acquire,
        release,
        withdraw, ///< or a break: they answer alike
        beat,
        inspect,
        undo,         ///< of a cancelled acquire, or of a late one that is unwanted
        clear_memory, ///< of a release
        latch,
    };

    /// Sends the first request of an operation.
    template <typename Op>
    void send(operation& operation, const Op& op, command_channel& channel, base::instant now);

    void send_script(operation& operation, command_channel& channel, base::instant now);
    [[nodiscard]] release_memory memory_for(const ticket& ticket, bool asks_again,
                                            base::instant now);
    void stop_acquires(const ticket& ticket);
    void leave(const ticket& ticket, base::instant now);
    void send_withdrawal(operation& operation, const withdraw_op& op, request_kind kind,
                         command_channel& channel, base::instant now);

    void on_take_reply(operation& operation, const reply& reply, base::instant now);
    void on_acquire_reply(operation& operation, const reply& reply, base::instant now);
    void send_undo(operation& operation, base::instant now);
    void on_granted(operation& operation, answer&& answer, base::instant now);
    void on_busy(operation& operation, std::int64_t pttl, base::instant now);
    void on_release_reply(operation& operation, const reply& reply, base::instant now);
    void note_remembered(const operation& done);
    void withdraw_late(const channel_finder& find, base::instant now);
    void unsubscribe_idle(const channel_finder& find, base::instant now);

    void on_message(std::string_view channel, std::string_view payload, base::instant now) override;
    void on_unsubscribed(std::string_view channel) override { wake_all(channel); }
    void wake_all(std::string_view channel);

    const base::client_id client_;
    operations& operations_;
    const std::unique_ptr<polling_commands> commands_;
    std::array<bool, 3> has_kind_{}; ///< by the value of primitive
    local_waiters waiters_;
    unanswered_releases releases_;
    late_acquires late_;
};

} // namespace holdfast::engine::redis
