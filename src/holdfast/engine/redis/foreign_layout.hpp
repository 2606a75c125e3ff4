#pragma once
// Layouts that others made, for locks that are shared with services that do not use Holdfast:
// operations as commands, and what their answers mean. docs/layouts.md describes the keys.

#include "holdfast/base/ids.hpp"
#include "holdfast/engine/answers.hpp"
#include "holdfast/engine/engine.hpp"
#include "holdfast/engine/factory.hpp"
#include "holdfast/engine/ops.hpp"
#include "holdfast/engine/redis/place.hpp"
#include "holdfast/engine/redis/reply.hpp"
#include "holdfast/engine/redis/scripts.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace holdfast::engine::redis {

/// Its scripts. All layouts call theirs in the same way.
struct foreign_scripts {
    const script* acquire;
    const script* release;
    const script* beat;
    const script* break_lock;
    const script* inspect;
};

/// Its outcome, which a release leaves on the server for a while in a key of its own: an acquire of
/// the same owner that arrives after it is refused, and a release that is sent again gets the same
/// answer.
struct release_memory {
    base::milliseconds length{0}; ///< 0: none is wanted
    bool also_of_nothing = false; ///< if nothing was held; otherwise only what was released
};

/// What the layouts have in common: the owner is written as `<client uuid>:<number>`, there is no
/// queue, and who waits listens to a channel of the lock's and asks again.
///
/// Thread safety: none; it keeps memory for reuse.
class foreign_layout {
public:
    foreign_layout(const foreign_layout&) = delete;
    foreign_layout& operator=(const foreign_layout&) = delete;
    virtual ~foreign_layout() = default;

    [[nodiscard]] virtual capabilities caps(primitive kind, bool fenced) const = 0;
    [[nodiscard]] std::array<const script*, 5> scripts() const {
        return {with_.acquire, with_.release, with_.beat, with_.break_lock, with_.inspect};
    }
    /// On which a release is told to those who wait.
    [[nodiscard]] virtual std::string channel(std::string_view name) const = 0;
    [[nodiscard]] virtual bool sharded() const { return false; }
    /// The next look of a waiter that nobody has told anything. `pttl` is of the hold that is in
    /// the way: below 0 if it is not known or never ends. `ahead` counts waiters of this client.
    [[nodiscard]] virtual base::duration look_in(std::int64_t pttl, std::size_t ahead) = 0;

    // Each appends one command.
    /// Takes it without a script if it is free; the answer is null, or the value that is there.
    /// False: this layout always needs its script.
    virtual bool take(std::string& /*out*/, const ticket& /*who*/, base::milliseconds /*lease*/) {
        return false;
    }
    void acquire(std::string& out, const ticket& ticket, base::milliseconds lease, bool fenced,
                 std::int64_t not_after_us);
    /// Whether an acquire is refused if its release is remembered.
    [[nodiscard]] virtual bool minds_releases(bool fenced) const = 0;
    virtual void release(std::string& out, const ticket& ticket, release_memory memory) = 0;
    virtual void withdraw(std::string& out, const ticket& ticket, release_memory memory) = 0;
    void break_lock(std::string& out, const break_op& operation);
    void beat(std::string& out, const beat_op& operation);
    void inspect(std::string& out, std::string_view name);
    /// After a release that was answered and need not be remembered; false: there is nothing to do.
    virtual bool tidy(std::string& /*out*/, const ticket& /*who*/) { return false; }

    /// The owner as it is written; good until the next call.
    [[nodiscard]] std::string_view owner(const base::owner_id& owner);

protected:
    foreign_layout(const foreign_scripts& with, const place& where,
                   const client_identity& identity);

    [[nodiscard]] std::string key(std::string_view name) const {
        return key_prefix_ + std::string{name};
    }
    void append_key(std::string& out, std::string_view name);
    [[nodiscard]] virtual std::string token_key(std::string_view name) const = 0;
    /// Where a release is remembered.
    [[nodiscard]] virtual std::string memory_key(const ticket& ticket) const = 0;
    [[nodiscard]] std::string_view publish() const { return sharded() ? "SPUBLISH" : "PUBLISH"; }

    const foreign_scripts with_;
    const std::string own_prefix_; ///< of Holdfast's own keys and channels

private:
    const std::string key_prefix_;
    const base::client_id own_;
    const std::string own_text_;
    std::string owner_; ///< kept for its memory; likewise the next
    std::string key_;
};

// What they answer.
/// granted, or busy with the PTTL that is in the way in `pttl`; a late request: as read_acquire's.
[[nodiscard]] answer read_foreign_acquire(const reply& reply, std::int64_t& pttl);
[[nodiscard]] lock_info read_foreign_inspect(const reply& reply, std::string name);

} // namespace holdfast::engine::redis
