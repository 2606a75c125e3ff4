#pragma once
// Commands under `holdfast run` that write the token they run under to a file, again and again.

#include "cli/cli_fixture.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::test {

/// Which process of the command does the work: it appends its $HOLDFAST_TOKEN to the file `tokens`
/// every few milliseconds until it is killed.
enum class worker_kind {
    plain,           ///< the command itself
    grandchild,      ///< a child of the command
    own_session,     ///< a child in a session and process group of its own
    ignores_signals, ///< the command, which ignores every signal that can be ignored
    double_forked,   ///< a descendant whose parent has exited
    daemon,          ///< a daemon that the command leaves behind when it exits
};

[[nodiscard]] words worker_words(worker_kind kind);

class guarded : public cli {
protected:
    /// `holdfast run OPTIONS... x -- ...`, which may have to wait.
    running_command start_worker(worker_kind kind, const words& options);

    /// The tokens in the order of writing.
    [[nodiscard]] std::vector<std::uint64_t> tokens() const;
    /// Waits for a token above `floor`; 0: none was written in time.
    [[nodiscard]] std::uint64_t token_above(std::uint64_t floor,
                                            milliseconds within = long_wait) const;
    /// Waits until the last token was written some more times.
    [[nodiscard]] bool keeps_writing() const;
    /// The place where a token follows a larger one: two workers ran at once. Empty: nowhere.
    [[nodiscard]] std::string violation() const;
};

} // namespace holdfast::test
