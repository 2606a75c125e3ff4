#pragma once
// Detects in debug builds that a lock is destroyed while a thread waits for it.

#include "holdfast/base/process.hpp"

#include <atomic>
#include <cassert>
#include <cstdint>

namespace holdfast::api {

#ifdef NDEBUG

class active_calls {
public:
    struct scope {
        explicit scope(active_calls& /*lock*/) noexcept {}
        ~scope() {} // NOLINT(modernize-use-equals-default): not trivial, or it would be "unused"
    };
};

#else

/// Counts the threads that are inside a call of a lock.
class active_calls {
public:
    active_calls() = default;
    active_calls(const active_calls&) = delete;
    active_calls& operator=(const active_calls&) = delete;
    ~active_calls() {
        // The threads of the parent of a fork() are not in the child.
        [[maybe_unused]] const bool inherited = generation_ != base::process_generation();
        assert((count_ == 0 || inherited) && "a lock is destroyed while a thread waits for it");
    }

    class scope {
    public:
        explicit scope(active_calls& lock) noexcept : count_{lock.count_} { ++count_; }
        scope(const scope&) = delete;
        scope& operator=(const scope&) = delete;
        ~scope() { --count_; }

    private:
        std::atomic<unsigned>& count_;
    };

private:
    std::atomic<unsigned> count_{0};
    const std::uint64_t generation_ = base::process_generation();
};

#endif

} // namespace holdfast::api
