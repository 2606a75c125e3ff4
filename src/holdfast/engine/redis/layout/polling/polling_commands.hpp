#pragma once
// The interface of layouts without a queue: their keys, scripts and commands. docs/layouts.md
// describes the keys.

#include "holdfast/base/ids.hpp"
#include "holdfast/engine/engine.hpp"
#include "holdfast/engine/factory.hpp"
#include "holdfast/engine/ops.hpp"
#include "holdfast/engine/redis/operation.hpp"
#include "holdfast/engine/redis/options.hpp"
#include "holdfast/engine/redis/scripts.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::engine::redis {

/// The scripts of a layout. All take the same arguments.
struct polling_scripts {
    const script* acquire;
    const script* release;
    const script* beat;
    const script* break_lock;
    const script* inspect;
};

/// A release leaves its outcome on the server for a while, in a key of its own: an acquire of the
/// same owner that arrives after it is refused, and a release that is sent again gets the same
/// answer.
struct release_memory {
    base::milliseconds length{0};  ///< 0: none
    bool even_if_not_held = false; ///< also if the ticket did not hold the lock
};

/// What the layouts have in common: the owner is written as `<client uuid>:<number>`, and waiters
/// listen to a channel of the lock's and ask again.
///
/// Thread safety: none; it keeps memory for reuse.
class polling_commands {
public:
    polling_commands(const polling_commands&) = delete;
    polling_commands& operator=(const polling_commands&) = delete;
    virtual ~polling_commands() = default;

    [[nodiscard]] virtual capabilities caps(primitive kind, bool fenced) const = 0;
    [[nodiscard]] virtual const lock_format& format() const noexcept = 0;
    [[nodiscard]] std::span<const script* const> scripts() const noexcept { return all_scripts_; }
    /// The channel on which a waiter with this ticket is notified of a release.
    [[nodiscard]] virtual std::string channel(const ticket& ticket, primitive kind) const {
        return name_channel(ticket.name, kind);
    }
    /// Whether a message concerns all waiters of a channel, and not only the first.
    [[nodiscard]] virtual bool wakes_all(std::string_view /*channel*/,
                                         std::string_view payload) const {
        return payload == "1";
    }
    [[nodiscard]] virtual bool sharded() const { return false; }
    /// Why a lock of this name cannot exist; null: it can.
    [[nodiscard]] virtual const char* reject_name(std::string_view /*name*/) const {
        return nullptr;
    }
    /// Why it has no latch of this name; null: it has.
    [[nodiscard]] virtual const char* reject_latch(std::string_view /*name*/) const {
        return why_no_cells;
    }
    /// The channel on which the opening of a latch is published.
    [[nodiscard]] virtual std::string latch_channel(std::string_view /*name*/) const { return {}; }
    /// When a waiter without a message asks again. `pttl` is that of the current hold: below 0 if
    /// it is not known or never ends. `ahead` counts waiters of this client.
    [[nodiscard]] virtual base::duration poll_in(std::int64_t pttl, std::size_t ahead) = 0;

    /// Whether an acquire that waits has a place in a queue on the server.
    [[nodiscard]] virtual bool keeps_places() const { return false; }
    /// Whether `take` exists: an acquire of a free lock without a script.
    [[nodiscard]] virtual bool takes_without_script() const { return false; }
    /// Whether each release is remembered until it is answered.
    [[nodiscard]] virtual bool clears_memory() const { return false; }
    /// Whether an acquire is refused if its release is remembered.
    [[nodiscard]] virtual bool honours_memory(bool fenced) const = 0;

    // Each appends one command.
    /// The reply is null, or the value that is there. REQUIRES: takes_without_script().
    virtual void take(std::string& /*out*/, const ticket& /*ticket*/,
                      base::milliseconds /*lease*/) {}
    virtual void acquire(std::string& out, const ticket& ticket, const acquire_terms& terms,
                         std::int64_t not_after_us);
    virtual void release(std::string& out, const ticket& ticket, release_memory memory) = 0;
    virtual void withdraw(std::string& out, const ticket& ticket, release_memory memory) = 0;
    void break_lock(std::string& out, const break_op& op);
    void beat(std::string& out, const beat_op& op);
    void inspect(std::string& out, std::string_view name);
    /// REQUIRES: reject_latch() is null.
    virtual void latch(std::string& /*out*/, const cell_op& /*op*/, std::int64_t /*not_after_us*/) {
    }
    /// After a release that was answered and need not be remembered. REQUIRES: clears_memory().
    virtual void clear_memory(std::string& /*out*/, const ticket& /*ticket*/) {}

    /// The owner as it is written; valid until the next call.
    [[nodiscard]] std::string_view owner(const base::owner_id& owner);

    static constexpr const char* why_no_cells =
        "has no latches, barriers, once flags and elections; use a client without this layout in "
        "its URL";
    static constexpr const char* why_latches_only =
        "has no barriers, once flags and elections; use a client without this layout in its URL";
    static constexpr const char* why_no_resize =
        "cannot change the limit: Redisson's semaphores do not say how many permits are out; use "
        "their addPermits()";

protected:
    /// `more` are scripts that only this layout has.
    polling_commands(const polling_scripts& scripts, const options& options,
                     const client_identity& identity, std::span<const script* const> more = {});

    /// What all polling layouts can do.
    [[nodiscard]] static capabilities polling_caps(primitive kind, bool fenced);
    [[nodiscard]] std::string key(std::string_view name) const {
        return key_prefix_ + std::string{name};
    }
    void append_key(std::string& out, std::string_view name);
    /// The beginning of all acquires: keys, and then arguments, of which `more` follow.
    void append_acquire(std::string& out, const script& script, const ticket& ticket,
                        const acquire_terms& terms, std::int64_t not_after_us, std::size_t more);
    /// The two last arguments of a release that is remembered.
    static void append_memory(std::string& out, release_memory memory);
    /// The channel on which releases of a lock are published.
    [[nodiscard]] virtual std::string name_channel(std::string_view name, primitive kind) const = 0;
    [[nodiscard]] virtual std::string token_key(std::string_view name) const = 0;
    /// Where a release is remembered.
    [[nodiscard]] virtual std::string memory_key(const ticket& ticket) const = 0;
    [[nodiscard]] std::string_view publish() const { return sharded() ? "SPUBLISH" : "PUBLISH"; }

    /// A key of Holdfast's own for a lock, in the slot of the lock: `usual`, if that is in it.
    [[nodiscard]] std::string in_slot(std::string usual, std::string_view kind,
                                      std::string_view name) const;

    const polling_scripts scripts_;
    const std::string own_prefix_; ///< of Holdfast's keys and channels
    const bool clustered_;

private:
    const std::vector<const script*> all_scripts_;
    const std::string key_prefix_;
    const base::client_id client_id_;
    const std::string client_text_;
    std::string owner_; ///< member to reuse its memory; likewise the next
    std::string key_;
};

} // namespace holdfast::engine::redis
