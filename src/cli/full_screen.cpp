#include "cli/full_screen.hpp"

#include "cli/output.hpp"

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace holdfast::cli {

bool full_screen::is_available() {
    const char* const term = std::getenv("TERM"); // NOLINT(concurrency-mt-unsafe)
    const bool dumb = term == nullptr || std::string_view{term} == "dumb";
    return !dumb && ::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0;
}

void full_screen::resume() noexcept {
    termios now{};
    if (saved_ || ::tcgetattr(STDIN_FILENO, &now) != 0) { return; }
    saved_ = now;
    now.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO); // Ctrl-C and Ctrl-Z still send signals
    now.c_cc[VMIN] = 0;
    now.c_cc[VTIME] = 0;
    ::tcsetattr(STDIN_FILENO, TCSADRAIN, &now);
    [[maybe_unused]] const bool printed = print("\033[?1049h\033[?25l");
}

void full_screen::suspend() noexcept {
    if (!saved_) { return; }
    [[maybe_unused]] const bool printed = print("\033[?25h\033[?1049l");
    ::tcsetattr(STDIN_FILENO, TCSADRAIN, &*saved_);
    saved_.reset();
}

void full_screen::draw(const std::string& text) {
    std::string out = "\033[H";
    std::string_view rest = text;
    for (std::size_t line = 0; line < height() && !rest.empty(); ++line) {
        const auto end = rest.find('\n');
        out += line == 0 ? "" : "\n"; // the terminal adds the carriage return
        out += rest.substr(0, end);
        out += "\033[K";
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    [[maybe_unused]] const bool printed = print(out + "\033[J");
}

std::optional<char> full_screen::read_key() {
    char key = 0;
    const auto count = ::read(STDIN_FILENO, &key, 1);
    if (count == 1) { return key; }
    const bool hung_up = count < 0 && errno != EINTR && errno != EAGAIN;
    return hung_up ? std::optional{'q'} : std::nullopt;
}

std::size_t full_screen::height() {
    winsize size{};
    const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0;
    return known ? size.ws_row : 24;
}

} // namespace holdfast::cli
