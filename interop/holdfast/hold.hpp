#pragma once
// One owner: what it holds, in which way, and what the public API says about it.

#include <holdfast/holdfast.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace holdfast::interop {

using std::chrono::milliseconds;

/// What a request for a lock says.
struct terms {
    std::string name{};
    milliseconds lease{0};
    milliseconds wait{0};
    bool watchdog = false;
    bool fenced = false;
    bool reentrant = false;
    std::string kind{}; ///< of Redisson's: read, write, fair, semaphore, expirable; empty: a mutex
};

/// The answers are those of interop/PROTOCOL.md. Thread safety: none, and all calls must come from
/// one thread: it is what owns a lock that is entered again.
class hold {
public:
    hold(const client& fleet, layout layout, milliseconds watchdog)
        : fleet_{fleet}, layout_{layout}, watchdog_{watchdog} {}

    std::string acquire(const terms& wanted);
    std::string reenter();
    std::string renew();
    std::string release();

private:
    [[nodiscard]] lock_options options(const terms& wanted) const;
    std::string take(const terms& wanted);
    std::optional<lease> take_kind(const terms& wanted);
    std::string take_again_and_again(const terms& wanted);

    const client& fleet_;
    layout layout_;
    milliseconds watchdog_;
    milliseconds length_{0};

    // A lease of the mutex; or a lock of it, which the plain layout refreshes; or the counted one.
    std::optional<mutex> mutex_;
    std::optional<lease> lease_;
    std::optional<recursive_mutex> counted_;
    std::optional<lease_set> set_; ///< or of two names
};

} // namespace holdfast::interop
