#pragma once
// A lock_taker, seen from the test that starts, stops and kills it.

#include "history/recorder.hpp"
#include "holdfast/base/fd.hpp"
#include "support/timing.hpp"

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace holdfast::test {

/// Killed and reaped by the destructor if it is still there, in whatever state.
class taker_process {
public:
    /// `flags` are lock_taker's. What befalls it is written to `events`, which must outlive it.
    taker_process(history::recorder& events, std::vector<std::string> flags);
    taker_process(const taker_process&) = delete;
    taker_process& operator=(const taker_process&) = delete;
    ~taker_process();

    /// The next line that begins with `word`, other lines skipped; empty if it does not come.
    [[nodiscard]] std::optional<std::string> hear(const std::string& word,
                                                  milliseconds within = long_wait);
    void tell(const std::string& word) const;

    void kill();            ///< with SIGKILL; it is gone when this returns
    void stop();            ///< with SIGSTOP; it stands still when this returns
    history::stamp go_on(); ///< with SIGCONT; the instant before it was sent
    [[nodiscard]] int wait_for_end(milliseconds within = long_wait); ///< the exit code; -1: no end
    [[nodiscard]] ::pid_t pid() const noexcept { return pid_; }
    [[nodiscard]] bool ended();

private:
    [[nodiscard]] bool read_more(milliseconds within);

    history::recorder& events_;
    ::pid_t pid_ = -1;
    bool reaped_ = false;
    int status_ = 0;
    history::stamp stopped_at_{};
    base::fd to_;
    base::fd from_;
    std::string heard_;
};

/// The number after `key` in a line, e.g. of at=123.
[[nodiscard]] std::int64_t number_in(const std::string& line, const std::string& key);

} // namespace holdfast::test
