#pragma once
// Holdfast's own layout: queues on the server, hand-off, tokens, all primitives.

#include "holdfast/engine/redis/layout/lock_layout.hpp"
#include "holdfast/engine/redis/layout/native/cell_calls.hpp"
#include "holdfast/engine/redis/layout/native/late_attempts.hpp"
#include "holdfast/engine/redis/layout/native/lister.hpp"
#include "holdfast/engine/redis/layout/native/native_commands.hpp"
#include "holdfast/engine/redis/layout/native/reclaim_book.hpp"

#include <span>
#include <string_view>

namespace holdfast::engine::redis {

/// One script call per operation. A release that is not sent yet and the acquire that follows it
/// become one call: see docs/decisions/0014.
///
/// Thread safety: none.
class native_layout final : public lock_layout {
public:
    native_layout(const options& options, const client_identity& identity);

    /// Whether these names can be a set: on a cluster they must be in one slot.
    [[nodiscard]] bool is_one_step(std::span<const std::string_view> names) const override;

    [[nodiscard]] capabilities caps(primitive kind, bool fenced) const override;
    void begin(operation& operation, const op& op, command_channel& channel,
               base::instant now) override;

    [[nodiscard]] bool on_reply(request& request, const reply& reply, base::instant now) override;
    void on_error(request& request, const server_error& error, base::instant now) override;
    void on_lost(request& request, bool may_arrive, base::instant now) override;
    [[nodiscard]] bool resend(request& request, command_channel& to, base::instant now) override;

private:
    enum class request_kind : std::uint8_t {
        acquire,
        exchange, ///< a release (`merged`) and an acquire
        release,
        withdraw, ///< or a break: they answer alike
        beat,
        inspect,
        undo, ///< of a cancelled acquire
        acquire_set,
        release_set,
        undo_set, ///< of a cancelled acquire_set
        downgrade,
        resize,
    };

    /// Sends the first request of an operation.
    template <typename Op>
    void send(operation& operation, const Op& op, command_channel& channel, base::instant now);

    [[nodiscard]] validity validity_of(operation& acquire) const;
    [[nodiscard]] request* mergeable_release(const acquire_op& op, command_channel& channel,
                                             base::instant now);
    [[nodiscard]] static bool is_same_slot(const operation& release, const acquire_op& op);
    [[nodiscard]] bool may_be_withdrawn_late(const ticket& ticket, command_channel& channel,
                                             base::instant now) const;
    void on_acquire_reply(operation& acquire, const reply& reply, base::instant now);
    void send_undo(operation& acquire, command_channel& channel, base::instant now);
    [[nodiscard]] bool on_set_reply(operation& set, const reply& reply, base::instant now);
    [[nodiscard]] static bool on_set_release_reply(operation& set, const reply& reply);
    void send_undo_set(operation& set, command_channel& channel, base::instant now);
    void forget_set(const operation& set) noexcept;
    [[nodiscard]] bool on_downgrade_reply(operation& operation, const reply& reply,
                                          base::instant now);
    [[nodiscard]] bool on_resize_reply(operation& operation, const reply& reply, base::instant now);
    [[nodiscard]] bool on_exchange_reply(request& request, const reply& both, base::instant now);

    [[nodiscard]] bool on_beat_reply(operation& beat, const reply& reply, base::instant now);
    [[nodiscard]] beat_op with_reclaims(const beat_op& op, base::instant give_up,
                                        base::instant now);
    [[nodiscard]] bool has_grace() const noexcept { return options_.max_lease.count() > 0; }

    native_commands commands_;
    lister lister_{commands_};
    cell_calls cells_{options_.prefix};
    late_attempts attempts_;    ///< acquires that may still arrive
    late_attempts withdrawals_; ///< likewise, of tickets that ask again
    reclaim_book held_;         ///< with max_lease only
    bool votes_ = false;        ///< the server is a node of a quorum: it was asked as one
};

// In native_layout_sets.cpp.
template <>
void native_layout::send(operation& operation, const acquire_set_op& op, command_channel& channel,
                         base::instant now);
template <>
void native_layout::send(operation& operation, const release_set_op& op, command_channel& channel,
                         base::instant now);

template <>
void native_layout::send(operation& operation, const downgrade_op& op, command_channel& channel,
                         base::instant now);
template <>
void native_layout::send(operation& operation, const resize_op& op, command_channel& channel,
                         base::instant now);

} // namespace holdfast::engine::redis
