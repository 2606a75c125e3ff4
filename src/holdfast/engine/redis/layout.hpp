#pragma once
// The native layout: operations as calls of its scripts, and what their answers mean.
// scripts/state.lua describes the keys.

#include "holdfast/base/ids.hpp"
#include "holdfast/engine/answers.hpp"
#include "holdfast/engine/factory.hpp"
#include "holdfast/engine/ops.hpp"
#include "holdfast/engine/redis/reply.hpp"
#include "holdfast/engine/redis/scripts.hpp"
#include "holdfast/engine/redis/wire_text.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::engine::redis {

/// Until when an acquire counts, in microseconds of the server's clock.
struct validity {
    std::int64_t not_after_us = 0;
    /// The highest not-after of earlier sendings of it that may still arrive; 0: there are none.
    std::int64_t late_us = 0;
};

/// Thread safety: none; it keeps memory for reuse.
class layout {
public:
    layout(std::string prefix, const client_identity& identity);

    // Each appends one command.
    void acquire(std::string& out, const acquire_op& operation, const validity& counts);
    void release(std::string& out, const ticket& ticket);
    void exchange(std::string& out, const ticket& given_up, const acquire_op& operation,
                  const validity& counts);
    /// Acquires of this ticket up to the not-after `late_us` take nothing from then on; 0: none of
    /// them can still arrive.
    void withdraw(std::string& out, const ticket& ticket, std::int64_t late_us);
    void break_lock(std::string& out, const break_op& operation);
    void beat(std::string& out, const beat_op& operation);
    void inspect(std::string& out, std::string_view name);
    /// A cursor is the server's own, or that and `>name` if names up to that one were on the page
    /// before: a server may give more at once than a page has room for.
    void scan(std::string& out, const list_op& operation);

    /// The channel on which this client hears of its grants and losses.
    [[nodiscard]] const std::string& inbox() const noexcept { return inbox_; }
    /// The channel on which all clients hear that the server may have lost its data.
    [[nodiscard]] const std::string& inbox_of_all() const noexcept { return inbox_of_all_; }
    /// The name that a key of the layout's is for; empty: it is none.
    [[nodiscard]] std::optional<std::string> name_of(std::string_view key) const;

private:
    /// What the terms are made of, but for the note.
    struct wish {
        primitive kind{};
        holdfast::mode mode{};
        bool detached = false;
        unsigned permits = 0;
        unsigned limit = 0;
        base::milliseconds lease{};
        base::milliseconds min_hold{};
        queueing queue{};
        bool operator==(const wish&) const = default;
    };

    void append_key(std::string& out, std::string_view name);
    void append_release(std::string& out, const ticket& ticket);
    void append_acquire(std::string& out, const acquire_op& operation, const validity& counts);
    [[nodiscard]] const std::string& terms_of(const acquire_op& operation);
    void call(std::string& out, const script& script, std::string_view name,
              std::string_view argument);

    std::string prefix_;
    std::string client_; ///< in hexadecimal digits
    std::string inbox_;
    std::string inbox_of_all_;
    std::string from_; ///< pid and host, as the terms have them
    base::client_id own_;
    std::string ask_; ///< kept for its memory

    // How the usual calls begin.
    std::string acquire_;
    std::string acquire_with_more_;
    std::string acquire_again_;
    std::string release_;
    std::string exchange_;
    std::string exchange_with_more_;
    std::string exchange_again_;

    // What was written last, as it was written.
    std::string key_for_;
    std::string key_;
    wish terms_for_;
    std::string note_for_;
    std::string terms_;
};

// What the scripts answer. A reply that none of them gives makes `failed` with errc::internal.
// What the acquire script says of a late request: `failed`, and the server's time in `token`.
[[nodiscard]] answer read_acquire(const reply& reply);
[[nodiscard]] answer read_release(const reply& reply);
/// The answer of the exchange script that is another than that of acquire.
[[nodiscard]] bool is_of_both(const reply& reply);
[[nodiscard]] answer read_exchanged(const reply& reply); ///< what became of the release
[[nodiscard]] answer read_withdraw(const reply& reply);  ///< or take_away
[[nodiscard]] beat_answer read_beat(const reply& reply, const std::string& server);
[[nodiscard]] lock_info read_inspect(const reply& reply, std::string name);
[[nodiscard]] notice read_message(std::string_view payload); ///< inbox_reset: not understood

/// Server time in a late answer; 0: it is not one.
[[nodiscard]] std::int64_t late_since(const reply& reply);

} // namespace holdfast::engine::redis
