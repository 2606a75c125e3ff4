#pragma once
// Commands under `holdfast run` that write down, again and again, which token they run under.

#include "cli/cli.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::test {

/// How the guarded command does its work. Each appends its $HOLDFAST_TOKEN to the file `tokens`
/// every few milliseconds until it is ended.
enum class shape {
    plain,         ///< it works itself
    grandchild,    ///< a child of its works
    own_session,   ///< one that has left session and process group
    deaf,          ///< it ignores every signal that can be ignored
    double_forked, ///< one whose parent is long gone
    daemon,        ///< the command ends at once and leaves a daemon behind
};

/// The words of such a command.
[[nodiscard]] words worker(shape shape);

class guarded : public cli {
protected:
    /// `holdfast run OPTIONS... x -- ...`, which may have to wait.
    running contend(shape shape, const words& options);

    /// The tokens in the order in which they were written.
    [[nodiscard]] std::vector<std::uint64_t> tokens() const;
    /// Waits for one above `floor`; 0: none came in time.
    [[nodiscard]] std::uint64_t token_above(std::uint64_t floor,
                                            milliseconds within = long_wait) const;
    /// Waits until the last written one was written some more times.
    [[nodiscard]] bool goes_on() const;
    /// Never two at once: no token comes after a larger one. Says where one does.
    [[nodiscard]] std::string violation() const;
};

} // namespace holdfast::test
