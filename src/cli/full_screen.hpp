#pragma once
// The whole terminal for one program, as `top` needs it.

#include <cstddef>
#include <optional>
#include <string>
#include <termios.h>

namespace holdfast::cli {

/// Switches to the terminal's second screen, hides the cursor, and reads keys without Enter and
/// echo. The destructor and suspend() restore everything.
class full_screen {
public:
    /// Whether stdin and stdout are a terminal that can do it.
    [[nodiscard]] static bool is_available();

    full_screen() { resume(); }
    full_screen(const full_screen&) = delete;
    full_screen& operator=(const full_screen&) = delete;
    ~full_screen() { suspend(); }

    void suspend() noexcept;
    void resume() noexcept;

    /// Replaces the screen's contents, without a flicker. Lines beyond the screen are left out.
    static void draw(const std::string& text);
    /// The next key that was typed; empty: none. 'q' at the end of the input.
    [[nodiscard]] static std::optional<char> read_key();
    [[nodiscard]] static std::size_t height();

private:
    std::optional<termios> saved_{};
};

} // namespace holdfast::cli
