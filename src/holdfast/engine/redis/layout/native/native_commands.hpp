#pragma once
// The native layout's commands: operations as calls of its scripts. scripts/fields.lua names the
// keys and their columns.

#include "holdfast/base/ids.hpp"
#include "holdfast/engine/factory.hpp"
#include "holdfast/engine/ops.hpp"
#include "holdfast/engine/redis/layout/native/lock_terms.hpp"
#include "holdfast/engine/redis/layout/native/owner_argument.hpp"
#include "holdfast/engine/redis/node/server_clock.hpp"
#include "holdfast/engine/redis/scripts.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::engine::redis {

/// The not-after of an acquire or a withdrawal, in microseconds of the server's clock.
struct validity {
    std::int64_t not_after_us = 0;
    /// The highest not-after of its earlier requests that may still arrive; 0: there are none.
    std::int64_t late_us = 0;
};

/// The beginnings of the calls of a script that takes an acquire.
struct acquire_calls {
    /// `more_arguments` follow those of the acquire.
    acquire_calls(const script& script, std::size_t keys, std::size_t arguments_before,
                  std::size_t arguments_after_vote, std::size_t more_arguments);

    /// The call with as many arguments as this acquire needs.
    [[nodiscard]] const std::string& call_for(const acquire_op& op, const validity& validity) const;

    std::string usual{};
    std::string with_token{}; ///< also of acquires that are not exclusive, or have a min_hold
    std::string after_late{}; ///< when an earlier request may still arrive
    std::string vote{};       ///< of an acquire with a node id
};

/// The scripts of the layout: the usual ones, or their variants.
struct native_scripts {
    const script* acquire;
    const script* release;
    const script* beat;
    const script* withdraw;
    const script* break_lock;
    const script* inspect;
    const script* exchange;
    std::array<const script*, 2> sets; ///< acquire_set and release_set
    std::array<const script*, 2> rare; ///< downgrade and resize
    std::size_t more_arguments;        ///< the incarnation, the mark of the slot, or none
};

enum class script_variant : std::uint8_t { usual, grace, cluster };

/// Thread safety: none; it keeps memory for reuse.
class native_commands {
public:
    /// With `grace` use_incarnation must be called first.
    native_commands(std::string prefix, const client_identity& identity,
                    script_variant variant = script_variant::usual);

    /// The incarnation that the next commands name.
    void use_incarnation(std::string_view id) { incarnation_ = id; }

    /// The slot of the next commands is being moved: they must only use the record. In a cluster.
    void set_slot_is_moving(bool is_moving) noexcept { slot_is_moving_ = is_moving; }
    /// The script of `exchange`.
    [[nodiscard]] std::span<const script* const> exchange_script() const noexcept {
        return {&scripts_.exchange, 1};
    }

    /// The scripts of `acquire_set` and `release_set`.
    [[nodiscard]] std::span<const script* const> set_scripts() const noexcept {
        return scripts_.sets;
    }

    /// The scripts of `downgrade` and `resize`.
    [[nodiscard]] std::span<const script* const> rare_scripts() const noexcept {
        return scripts_.rare;
    }

    // Each appends one command.
    void acquire(std::string& out, const acquire_op& op, const validity& validity);
    /// `token` is that of the hold; 0: the server need not know it.
    void release(std::string& out, const ticket& ticket, std::uint64_t token);
    /// A release of `released`, and an acquire. REQUIRES: released_token is 0, or op has a node id.
    void exchange(std::string& out, const ticket& released, std::uint64_t released_token,
                  const acquire_op& op, const validity& validity);
    /// From then on the server refuses acquires of this ticket up to the not-after
    /// `validity.late_us`; 0: none can still arrive. With a not_after_us the ticket may acquire
    /// again; 0: it will not.
    void withdraw(std::string& out, const ticket& ticket, const validity& validity);
    /// All names must be in one slot. The not-after of all is `not_after_us`.
    void acquire_set(std::string& out, const acquire_set_op& op, std::int64_t not_after_us);
    /// Likewise. With `with_tokens` the server must know the tokens.
    void release_set(std::string& out, std::span<const release_op> holds, bool with_tokens);
    void downgrade(std::string& out, const ticket& ticket);
    void resize(std::string& out, const resize_op& op, std::int64_t not_after_us);
    void break_lock(std::string& out, const break_op& op);
    /// Reclaims count until their not-after, but not longer than until `latest`.
    void beat(std::string& out, const beat_op& op, const server_clock& clock, base::instant latest);
    void inspect(std::string& out, std::string_view name);
    /// A cursor is the server's, or that and `>name`: names up to that one were on the page before,
    /// because the server returned more names than fit on a page.
    void scan(std::string& out, const list_op& op);

    /// The name of the lock in a key; empty: it is no key of this layout.
    [[nodiscard]] std::optional<std::string> name_of(std::string_view key) const;

private:
    void append_key(std::string& out, std::string_view name);
    template <typename Item>
    void append_keys(std::string& out, std::span<const Item> items);
    static void append_instant(std::string& out, std::int64_t us);
    void append_owner(std::string& out, const base::owner_id& owner) const;
    void append_acquire(std::string& out, const acquire_op& op, const validity& validity);
    void append_request(std::string& out, const acquire_op& op, std::int64_t not_after_us);
    void call(std::string& out, const script& script, std::size_t keys,
              std::size_t arguments) const;
    void append_last_argument(std::string& out) const;
    [[nodiscard]] std::string mark_of(std::string_view name) const;
    void append_items(std::string& out, const beat_op& op, const server_clock& clock,
                      base::instant latest);

    const std::string prefix_;
    const std::string client_hex_; ///< in hexadecimal digits
    const base::client_id client_id_;
    const native_scripts& scripts_;
    const acquire_calls acquire_{*scripts_.acquire, 1, 0, 0, scripts_.more_arguments};
    const acquire_calls exchange_{*scripts_.exchange, 2, 1, 1, scripts_.more_arguments};
    const bool clustered_;
    bool slot_is_moving_ = false;
    std::string incarnation_;
    std::string release_; ///< the beginning of its call
    terms_writer terms_;
    std::string argument_; ///< member to reuse its memory
    owner_argument released_{client_id_};
    owner_argument requested_{client_id_};
    std::uint64_t requested_terms_ = 0; ///< of `requested_`: see terms_writer::changes; 0: none

    // A cache of the last key, as RESP.
    std::string last_name_;
    std::string last_key_;
    std::string last_mark_; ///< in a cluster

    // Likewise of the last set.
    std::vector<std::string> last_set_names_;
    std::string last_set_keys_;
    std::string last_set_mark_;
};

} // namespace holdfast::engine::redis
