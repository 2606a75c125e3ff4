#pragma once
// Where processes meet: one store of locks, what the locks protect, and one history of it all.

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

    /// A client of the test's own, and through it the lock.
    [[nodiscard]] client& here() { return here_; }
    [[nodiscard]] std::optional<lease> try_for(milliseconds wait) {
        return mutex{here_, name}.try_acquire_for(wait, {.note = "the test"});
    }
    /// How long it took to get the lock; it is released at once. Throws if it takes very long.
    milliseconds time_to_get();
    [[nodiscard]] bool waits(const taker_process& process);
    [[nodiscard]] bool holds(const taker_process& process);
    [[nodiscard]] std::size_t waiting();
    /// How many still wait when those that are dead must have been dropped from the queue.
    [[nodiscard]] std::size_t waiting_in_the_end();

    /// Stops it, but not inside a transaction, which would stop everybody (see docs/embedded.md).
    void stop(taker_process& process);

    /// What the checker finds in the history so far, as text; empty: it is clean.
    [[nodiscard]] std::string wrong_with_history(history::check_options options = {}) const;
    [[nodiscard]] std::vector<history::event> history_so_far() const;
    /// When the process was told of its loss, by the history.
    [[nodiscard]] std::optional<history::stamp> loss_of(const taker_process& process) const;
    /// What the engine's own check finds; empty: it is in order.
    [[nodiscard]] std::string wrong_with_store() const;

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
    client here_;
    unsigned started_ = 0;
};

} // namespace holdfast::test
