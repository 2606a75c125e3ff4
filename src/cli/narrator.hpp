#pragma once
// Says who has the lock that we wait for.

#include "cli/run_settings.hpp"

#include <holdfast/client.hpp>

#include <memory>

namespace holdfast::cli {

/// Asks the engine by a client and a thread of its own, so that an engine that does not answer
/// keeps nobody waiting: the destructor leaves the thread to itself, which says nothing more then.
class narrator {
public:
    /// `at_work`: says it after a moment, and every 10 s.
    narrator(const run_settings& settings, bool at_work);
    narrator(const narrator&) = delete;
    narrator& operator=(const narrator&) = delete;
    ~narrator();

    /// From now on it says nothing by itself. Whether it has said anything.
    [[nodiscard]] bool has_told();
    void tell_now(const client& fleet);

private:
    struct story;
    static void go_on(const std::shared_ptr<story>& mine);

    std::shared_ptr<story> story_; ///< the thread has it, too
};

} // namespace holdfast::cli
