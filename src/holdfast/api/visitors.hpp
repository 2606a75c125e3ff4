#pragma once
// Finds out in debug builds that a lock is destroyed while a thread waits for it.

#include <atomic>
#include <cassert>

namespace holdfast::api {

#ifdef NDEBUG

class visitors {
public:
    struct visit {
        explicit visit(visitors& /*lock*/) noexcept {}
        ~visit() {} // NOLINT(modernize-use-equals-default): not trivial, or it would be "unused"
    };
};

#else

/// The threads that are inside a lock.
class visitors {
public:
    visitors() = default;
    visitors(const visitors&) = delete;
    visitors& operator=(const visitors&) = delete;
    ~visitors() { assert(count_ == 0 && "a lock is destroyed while a thread waits for it"); }

    class visit {
    public:
        explicit visit(visitors& lock) noexcept : count_{lock.count_} { ++count_; }
        visit(const visit&) = delete;
        visit& operator=(const visit&) = delete;
        ~visit() { --count_; }

    private:
        std::atomic<unsigned>& count_;
    };

private:
    std::atomic<unsigned> count_{0};
};

#endif

} // namespace holdfast::api
