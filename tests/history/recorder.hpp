#pragma once
// Records events of many processes in one file.

#include "history/event.hpp"

#include <filesystem>

namespace holdfast::history {

/// CLOCK_BOOTTIME now.
[[nodiscard]] stamp now() noexcept;

/// Appends events to a file that other processes append to as well.
///
/// Thread safety: all members may be called at once from any thread, and in a forked child. Each
/// event is one write() of one line to a file opened with O_APPEND, so lines of different writers
/// do not mix, and a writer killed at any point leaves whole lines, or at worst one piece of a
/// line, which the reader counts. There is no buffer that is lost with the process.
///
///     recorder history{path, "taker-3"};
///     history.record(requested{.name = "stock", .owner = owner, .lease = 2s});
class recorder {
public:
    /// Creates the file if need be. Throws std::system_error.
    recorder(const std::filesystem::path& file, std::string process);
    recorder(const recorder&) = delete;
    recorder& operator=(const recorder&) = delete;
    ~recorder();

    /// Throws std::system_error if it could not be written whole, std::length_error if the line
    /// would be longer than max_line: a history with holes proves nothing.
    void record(event_type type) { record(std::move(type), now()); }

    /// For an event that happened earlier, at `at`.
    void record(event_type type, stamp at);

private:
    int file_;
    std::string process_;
};

} // namespace holdfast::history
