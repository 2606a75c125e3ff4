#pragma once
// What the processes of a test share: a store of locks, the guarded data, and one history.

#include "history/checker.hpp"
#include "history/recorder.hpp"
#include "process/taker_process.hpp"
#include "support/engines.hpp"
#include "support/guarded_store.hpp"

#include <holdfast/holdfast.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::test {

/// The engines that more than one process can use.
[[nodiscard]] std::vector<engine_under_test> shared_engines();

class arena {
public:
    explicit arena(const engine_under_test& engine);
    arena(const arena&) = delete;
    arena& operator=(const arena&) = delete;
    ~arena();

    [[nodiscard]] std::unique_ptr<taker_process> start(std::vector<std::string> flags);

    /// The test's own client.
    [[nodiscard]] client& own_client() { return own_client_; }
    [[nodiscard]] std::optional<lease> try_for(milliseconds wait) {
        return mutex{own_client_, name}.try_acquire_for(wait, {.note = "the test"});
    }
    /// Acquires the lock, releases it and returns how long it took. Throws after `long_wait`.
    milliseconds time_to_acquire();
    [[nodiscard]] bool is_waiting(const taker_process& process);
    [[nodiscard]] bool is_holding(const taker_process& process);
    [[nodiscard]] std::size_t waiters();
    /// The number of waiters once the engine must have dropped the dead ones.
    [[nodiscard]] std::size_t waiters_left();

    /// Stops it, but not inside a transaction, which would block all others (docs/embedded.md).
    void stop(taker_process& process);

    /// The violations in the history so far, as text; empty: none.
    [[nodiscard]] std::string history_violations(history::check_options options = {}) const;
    [[nodiscard]] std::vector<history::event> history_so_far() const;
    /// When lost() fired in the process, by the history.
    [[nodiscard]] std::optional<history::stamp> loss_of(const taker_process& process) const;
    /// What the engine's integrity check finds; empty: nothing.
    [[nodiscard]] std::string store_damage() const;

    [[nodiscard]] bool frees_dead_at_once() const { return frees_dead_at_once_; }
    [[nodiscard]] history::recorder& events() { return events_; }
    [[nodiscard]] const unguarded_counter& counter() const { return counter_; }
    [[nodiscard]] const guarded_store& guarded() const { return guarded_; }

    static constexpr const char* name = "stock";

private:
    std::filesystem::path folder_;
    std::unique_ptr<store> store_;
    history::recorder events_;
    guarded_store guarded_;
    unguarded_counter counter_;
    bool frees_dead_at_once_;
    bool fifo_;
    client own_client_;
    unsigned started_ = 0;
};

} // namespace holdfast::test
