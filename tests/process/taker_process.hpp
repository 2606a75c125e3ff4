#pragma once
// A lock_taker process that a test starts, stops and kills.

#include "history/recorder.hpp"
#include "holdfast/base/fd.hpp"
#include "support/timing.hpp"

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace holdfast::test {

/// The destructor kills and reaps it, in whatever state it is.
class taker_process {
public:
    /// `flags` are lock_taker's. Kills and stops are recorded in `events`, which must outlive it.
    taker_process(history::recorder& events, std::vector<std::string> flags);
    taker_process(const taker_process&) = delete;
    taker_process& operator=(const taker_process&) = delete;
    ~taker_process();

    /// Reads its output up to the next line that begins with `word`; empty: none came in time.
    [[nodiscard]] std::optional<std::string> wait_for_line(const std::string& word,
                                                           milliseconds within = long_wait);
    /// Writes a line to its standard input.
    void send_line(const std::string& line) const;

    void kill();             ///< SIGKILL; it is reaped when this returns
    void stop();             ///< SIGSTOP; it is stopped when this returns
    history::stamp resume(); ///< SIGCONT; returns the instant before it was sent
    [[nodiscard]] int wait_for_end(milliseconds within = long_wait); ///< the exit code; -1: it runs
    [[nodiscard]] ::pid_t pid() const noexcept { return pid_; }
    [[nodiscard]] bool ended();

private:
    [[nodiscard]] bool read_more(milliseconds within);

    history::recorder& events_;
    ::pid_t pid_ = -1;
    bool reaped_ = false;
    int status_ = 0;
    history::stamp stopped_at_{};
    base::fd input_;
    base::fd output_;
    std::string unread_; ///< output that wait_for_line has not consumed
};

/// The number after `key` in a line, e.g. after at=.
[[nodiscard]] std::int64_t number_in(const std::string& line, const std::string& key);

} // namespace holdfast::test
