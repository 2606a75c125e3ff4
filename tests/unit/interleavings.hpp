#pragma once
// Runs a few threads through every interleaving of their steps, on a model of their shared memory,
// to find errors in protocols that tests with real threads hardly ever hit.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::test {

/// A thread is an ordinary function that accesses memory only by the steps of `thread`. It is
/// replayed: past steps return their recorded results, and the first new step throws. So it needs
/// no stack of its own, and the same code can run with real atomics.
class interleavings {
public:
    using value = std::uint32_t;                ///< small ones only: see `key`
    static constexpr std::size_t max_count = 8; ///< words, and threads
    using word = std::size_t;                   ///< below `most`

    struct memory {
        std::array<value, max_count> words{};
        std::array<value, max_count>
            asleep{}; ///< by thread: the bits that it sleeps with; 0: awake
    };
    struct outcome {
        memory after{};
        value seen = 0;
    };
    struct step {
        std::string name{};
        /// The possible outcomes: several if the memory does not determine the result.
        std::function<std::vector<outcome>(const memory&)> run{};
        bool forgets = false; ///< the thread continues as if it had just begun
    };
    using history = std::vector<value>;

    class thread {
    public:
        thread(std::size_t number, const history& past) : number_{number}, past_{past} {}

        value load(word from);
        value exchange(word in, value with);
        void add(word to, value more);
        void set_bits(word in, value bits);
        /// FUTEX_WAIT: sleeps unless the word has changed. REQUIRES: what the thread does after it
        /// does not depend on what it read before.
        void futex_wait(word on, value expected, value bits);
        /// FUTEX_WAKE: wakes at most this many; any of the matching threads.
        void futex_wake(value bits, int at_most);

    private:
        value perform(step next);

        std::size_t number_;
        const history& past_;
        std::size_t at_ = 0;
    };
    using body = std::function<void(thread&)>;

    /// A thread that is never called may be asleep at the end.
    void add(body run, bool may_stay_asleep = false);

    /// The steps that lead to a thread that sleeps forever; empty if there are none.
    [[nodiscard]] std::vector<std::string> find_stuck();
    [[nodiscard]] std::size_t states() const { return visited_.size(); }

private:
    struct state {
        memory shared{};
        std::vector<history> past{}; ///< by thread
    };
    struct runner {
        body run;
        bool may_stay_asleep = false;
        std::map<history, std::optional<step>>
            next{}; ///< the step after that history; empty: it ends
    };

    [[nodiscard]] const std::optional<step>& next_step(const state& in, std::size_t number);
    [[nodiscard]] bool explore(const state& from);
    [[nodiscard]] static std::string key(const state& at);

    std::vector<runner> threads_;
    std::set<std::string> visited_;
    std::vector<std::string> path_;
};

} // namespace holdfast::test
