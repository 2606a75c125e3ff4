#pragma once
// What the tests of Redisson's kinds of locks have in common: each kind is an option of the line
// protocol, and each test runs in both directions.

#include "matrix.hpp"

#include <array>
#include <functional>
#include <string>

namespace holdfast::interop {

class redisson_kind : public matrix {
protected:
    /// Who holds the lock, and who else wants it.
    struct sides {
        const char* label;
        driver_process& holder;
        driver_process& other;
        bool ours; ///< the holder is
    };
    /// Once with each side as the holder. The test must leave the lock free.
    void both_ways(const std::function<void(const sides&)>& test) const {
        for (const bool we_hold : {true, false}) {
            const sides now{we_hold ? "we hold" : "they hold", we_hold ? ours() : theirs(),
                            we_hold ? theirs() : ours(), we_hold};
            SCOPED_TRACE(now.label);
            test(now);
        }
    }
    /// Another driver of the same side, which may be killed.
    [[nodiscard]] std::unique_ptr<driver_process> another(bool ours) const {
        return ours ? another_of_ours() : another_of_theirs();
    }
    [[nodiscard]] std::string try_kind(const std::string& hold, const std::string& kind,
                                       milliseconds lease = long_lease) const {
        return try_by(hold, lease, kind);
    }
    [[nodiscard]] std::string wait_kind(const std::string& hold, const std::string& kind,
                                        milliseconds wait = 2 * long_lease) const {
        return wait_by(hold, long_lease, wait, kind);
    }
};

} // namespace holdfast::interop
