#pragma once
// Takes samples on a thread of its own, so that keys work while the engine does not answer.

#include "cli/engine_flags.hpp"
#include "cli/event_fd.hpp"
#include "cli/lock_sample.hpp"

#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::cli {

struct sample_settings {
    engine_address engine;
    std::vector<std::string> patterns;
    std::chrono::milliseconds interval{1'000};
};

/// The destructor detaches from the thread, which may wait for the engine: the process must end
/// soon after, without static destructors.
///
/// Thread safety: none; one thread uses it.
class sampler_thread {
public:
    /// Throws std::system_error if the system refuses a thread.
    sampler_thread(sample_settings settings, lock_order order);
    sampler_thread(const sampler_thread&) = delete;
    sampler_thread& operator=(const sampler_thread&) = delete;
    ~sampler_thread();

    struct result {
        lock_sample sample{};
        std::exception_ptr problem{}; ///< set: there is no sample
    };

    /// Readable when there is a result.
    [[nodiscard]] int descriptor() const noexcept;
    /// The latest result; empty if there is none since the last call.
    [[nodiscard]] std::unique_ptr<result> take();
    /// Takes the next sample at once, in this order.
    void refresh(lock_order order);

private:
    struct shared_state;
    static void run(const std::shared_ptr<shared_state>& shared);

    std::shared_ptr<shared_state> shared_; ///< with the thread
};

} // namespace holdfast::cli
