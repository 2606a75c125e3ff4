#pragma once
// The interface of all layouts.

#include "holdfast/engine/engine.hpp"
#include "holdfast/engine/redis/node/command_channel.hpp"
#include "holdfast/engine/redis/op_target.hpp"
#include "holdfast/engine/redis/operations.hpp"
#include "holdfast/engine/redis/options.hpp"

#include <functional>
#include <span>
#include <string_view>

namespace holdfast::engine::redis {

/// The channel to the node that serves a lock; null while that node is not ready.
using channel_finder = std::function<command_channel*(const op_target& target)>;

/// Turns operations into requests, and their replies into answers.
///
/// Thread safety: none.
class lock_layout : public request_handler {
public:
    virtual ~lock_layout() = default;

    /// Where notices go; once, before the first operation.
    void attach(sink& sink) noexcept { sink_ = &sink; }

    [[nodiscard]] virtual capabilities caps(primitive kind, bool fenced) const = 0;
    /// See engine::is_one_step.
    [[nodiscard]] virtual bool is_one_step(std::span<const std::string_view> /*names*/) const {
        return false;
    }
    /// Why this layout cannot do it, before anything is sent; null: it can.
    [[nodiscard]] virtual const char* reject_unsupported(const op& /*op*/) const { return nullptr; }
    /// Completes an operation that needs no server; false: it needs one.
    [[nodiscard]] virtual bool complete_locally(operation& /*operation*/, const op& /*op*/) {
        return false;
    }
    /// Sends the first request. REQUIRES: channel.is_open().
    virtual void begin(operation& operation, const op& op, command_channel& channel,
                       base::instant now) = 0;

    /// A node has a connection again.
    virtual void on_ready(base::instant /*now*/) {}
    /// Whether `due` is ever sooner than never.
    [[nodiscard]] virtual bool has_timers() const noexcept { return false; }
    /// When `on_timer` has something to do.
    [[nodiscard]] virtual base::instant due() const noexcept { return base::never; }
    virtual void on_timer(const channel_finder& /*find*/, base::instant /*now*/) {}

protected:
    explicit lock_layout(const options& options) noexcept : options_{options} {}

    /// The not-after of the request that is being sent for an acquire. Without a reply by then, the
    /// connection ends and the acquire is sent again on another. If the first request arrives last,
    /// the server must refuse it, since its ticket may have been released.
    [[nodiscard]] base::instant counts_until(const operation& acquire) const noexcept {
        return counts_until(acquire.not_after, acquire.sent);
    }
    [[nodiscard]] base::instant counts_until(base::instant not_after,
                                             base::instant sent) const noexcept;
    /// Handles a reply `late` to an acquire: learns the server's clock from it. True: by this
    /// client's clock the acquire was not late, and the operation has failed.
    bool fail_if_not_late(operation& acquire, const reply& reply, base::instant now);
    [[nodiscard]] bool fenced(const lock_format& format) const noexcept {
        return format.fencing.value_or(options_.fencing);
    }
    void notify(notice::kind type, std::uint64_t number) { sink_->noticed({type, number, 0}); }

    const options& options_;

private:
    sink* sink_ = nullptr;
};

/// Keeps the tickets of a batch, for `complete_beats`.
void note_items(operation& operation, const beat_op& op);

// Each returns false, without any effect, if the reply has another form.
/// `reclaimed` is the status of a hold that was made again.
[[nodiscard]] bool complete_beats(operation& operation, const reply& reply,
                                  op_status reclaimed = op_status::reclaimed);
[[nodiscard]] bool complete_number(operation& operation, const reply& reply,
                                   answer (*read)(const redis::reply&));
[[nodiscard]] bool complete_inspection(operation& operation, const reply& reply,
                                       lock_info (*read)(const redis::reply&, std::string name));

} // namespace holdfast::engine::redis
