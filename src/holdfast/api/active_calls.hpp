#pragma once
// Detects in debug builds that a lock is destroyed while a thread waits for it.

#include <atomic>
#include <cassert>

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
    ~active_calls() { assert(count_ == 0 && "a lock is destroyed while a thread waits for it"); }

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
};

#endif

} // namespace holdfast::api
