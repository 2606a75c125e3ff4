#pragma once
// Runs a few threads through every interleaving of their steps, on a model of the memory that they
// share: for protocols whose mistakes no test with real threads would hit.

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

/// A thread is an ordinary function that does everything by the steps of `thread`. It is given the
/// results of the steps that it has done, and is left by an exception at the first that it has not:
/// so it needs no stack of its own, and the same code can be run with real atomics.
class interleavings {
public:
    using value = std::uint32_t;           ///< small ones only: see `key`
    static constexpr std::size_t most = 8; ///< words, and threads
    using word = std::size_t;              ///< below `most`

    struct memory {
        std::array<value, most> words{};
        std::array<value, most> asleep{}; ///< by thread: the bits that it sleeps with; 0: awake
    };
    struct outcome {
        memory after{};
        value seen = 0;
    };
    struct step {
        std::string name{};
        /// What may come of it: more than one where not only the memory decides.
        std::function<std::vector<outcome>(const memory&)> run{};
        bool forgets = false; ///< the thread goes on as if it had just begun
    };
    using history = std::vector<value>;

    class thread {
    public:
        thread(std::size_t number, const history& past) : number_{number}, past_{past} {}

        value load(word from);
        value exchange(word in, value with);
        void add(word to, value more);
        void set_bits(word in, value bits);
        /// A futex: sleeps unless the word has changed. REQUIRES: nothing that the thread has seen
        /// before matters to what it does after.
        void futex_wait(word on, value expected, value bits);
        /// Wakes at most so many; which ones is left open.
        void futex_wake(value bits, int at_most);

    private:
        value perform(step next);

        std::size_t number_;
        const history& past_;
        std::size_t at_ = 0;
    };
    using body = std::function<void(thread&)>;

    /// Some threads are never called: they may be asleep in the end.
    void add(body run, bool may_stay_asleep = false);

    /// The steps that lead to a thread that sleeps for ever; empty: there are none.
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
        std::map<history, std::optional<step>> next{}; ///< what it does after that; empty: it ends
    };

    [[nodiscard]] const std::optional<step>& next_step(const state& in, std::size_t number);
    [[nodiscard]] bool explore(const state& from);
    [[nodiscard]] static std::string key(const state& of);

    std::vector<runner> threads_;
    std::set<std::string> visited_;
    std::vector<std::string> path_;
};

} // namespace holdfast::test
