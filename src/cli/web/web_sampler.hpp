#pragma once
// Samples the locks for all open pages, on one thread that is idle while no page is open.

#include "cli/engine_flags.hpp"
#include "cli/hold_changes.hpp"
#include "cli/web/web_view.hpp"
#include "holdfast/http/http_outbox.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::cli {

struct web_settings {
    engine_address engine;
    std::vector<std::string> patterns;
    std::chrono::milliseconds interval{1'000}; ///< the least pause between two walks
    bool read_only = false;
};

/// Each walk over the locks makes an event `locks` for each view, or an event `problem` for all if
/// the engine cannot be used. The pause is at least as long as the walk was, so that the engine is
/// never busy for the page all the time.
///
/// The destructor detaches from the thread, which may wait for the engine: the process must end
/// soon after, without static destructors. Thread safety: all members, from any thread.
class web_sampler {
public:
    /// Throws std::system_error if the system refuses a thread.
    web_sampler(web_settings settings, std::shared_ptr<http::http_outbox> outbox);
    web_sampler(const web_sampler&) = delete;
    web_sampler& operator=(const web_sampler&) = delete;
    ~web_sampler();

    /// A page is open that shows this view. It gets its first sample at once.
    void add_page(http::exchange_id page, web_view view);
    void remove_page(http::exchange_id page);
    /// This hold was broken: shows it at once.
    void on_broken(hold_changes::hold_key hold);

private:
    struct shared_state;
    class walker;

    std::shared_ptr<shared_state> shared_; ///< with the thread
};

} // namespace holdfast::cli
