#pragma once
// A pseudo-terminal: a test types into it and reads the screen.

#include "support/sandbox.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <sys/types.h>

namespace holdfast::test {

inline constexpr std::string_view ctrl_c = "\x03";
inline constexpr std::string_view ctrl_d = "\x04";
inline constexpr std::string_view ctrl_z = "\x1a";

/// Skips a test, with one line, if the machine has no pseudo-terminals.
#define HOLDFAST_NEEDS_TERMINAL()                                                                  \
    do {                                                                                           \
        if (const auto failure = ::holdfast::test::terminal_failure(); !failure.empty()) {         \
            GTEST_SKIP() << "no pseudo-terminal is available: " << failure;                        \
        }                                                                                          \
    } while (false)

/// Why this machine has no pseudo-terminals; empty: it has.
[[nodiscard]] std::string terminal_failure();

/// The destructor hangs up and kills the command.
class terminal {
public:
    terminal() = default; ///< nothing is started yet
    terminal(const sandbox& sandbox, const words& command) { start(sandbox, command); }
    terminal(const terminal&) = delete;
    terminal& operator=(const terminal&) = delete;
    ~terminal();

    /// Starts the command in the terminal. Throws std::system_error if there is none.
    void start(const sandbox& sandbox, const words& command);

    void type(std::string_view text) const;
    void enter(std::string_view line) const { type(std::string{line} + "\n"); }

    /// Waits for the text, behind the last text that was found. The terminal echoes what is typed,
    /// so the text must differ from it.
    [[nodiscard]] bool shows(std::string_view text, milliseconds within = long_wait);
    /// All output so far.
    [[nodiscard]] const std::string& screen();
    /// The foreground process group.
    [[nodiscard]] pid_t foreground() const;
    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    /// Closes the terminal, as a closed window does.
    void hang_up();

private:
    void read_output();

    int fd_ = -1;
    pid_t pid_ = 0;
    std::string screen_;
    std::size_t seen_ = 0;
};

} // namespace holdfast::test
