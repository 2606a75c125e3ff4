#pragma once
// A real terminal (a pty) with a shell in it, and somebody who types.

#include "support/scene.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <sys/types.h>

namespace holdfast::test {

inline constexpr std::string_view ctrl_c = "\x03";
inline constexpr std::string_view ctrl_d = "\x04";
inline constexpr std::string_view ctrl_z = "\x1a";

/// For tests that need one: skips them, in one line, where there is none to be had.
#define HOLDFAST_NEEDS_TERMINAL()                                                                  \
    do {                                                                                           \
        if (const auto why = ::holdfast::test::why_no_terminal(); !why.empty()) {                  \
            GTEST_SKIP() << "no pseudo-terminal can be had here: " << why;                         \
        }                                                                                          \
    } while (false)

/// Why no pseudo-terminal can be had on this machine; empty: one can.
[[nodiscard]] std::string why_no_terminal();

/// The destructor hangs up, and kills what was started.
class terminal {
public:
    terminal() = default; ///< nothing is started yet
    terminal(const scene& where, const words& command) { start(where, command); }
    terminal(const terminal&) = delete;
    terminal& operator=(const terminal&) = delete;
    ~terminal();

    /// Starts the command with the terminal as its own. Throws std::system_error if there is none.
    void start(const scene& where, const words& command);

    void type(std::string_view text) const;
    void enter(std::string_view line) const { type(std::string{line} + "\n"); }

    /// Whether the text appears, after what was found before. What is typed is echoed: look for
    /// what only the command can write.
    [[nodiscard]] bool shows(std::string_view text, milliseconds within = long_wait);
    /// All that was shown so far.
    [[nodiscard]] const std::string& screen();
    /// Which process group is in the foreground.
    [[nodiscard]] pid_t foreground() const;
    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    /// As if the window were closed.
    void hang_up();

private:
    void take();

    int fd_ = -1;
    pid_t pid_ = 0;
    std::string screen_;
    std::size_t seen_ = 0;
};

} // namespace holdfast::test
