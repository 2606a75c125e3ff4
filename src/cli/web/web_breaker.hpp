#pragma once
// Breaks locks for the page of `holdfast web`, on a thread of its own: the engine may be slow.

#include "cli/engine_flags.hpp"
#include "cli/hold_changes.hpp"
#include "holdfast/http/http_outbox.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace holdfast::cli {

/// The hold that the user has confirmed.
struct web_break {
    http::exchange_id exchange = 0; ///< gets the result
    std::string name{};
    std::uint64_t token = 0; ///< 0: the layout has none
    std::string hold_id{};
};

/// Breaks one after the other. The responses are 200 if it is broken, 409 if that hold has ended,
/// 503 if the engine fails; each has a sentence for the user.
///
/// The destructor detaches from the thread, as that of web_sampler. Thread safety: all members,
/// from any thread.
class web_breaker {
public:
    static constexpr std::size_t most_waiting = 16;
    /// Called on the thread after each break.
    using listener = std::function<void(hold_changes::hold_key)>;

    /// Throws std::system_error if the system refuses a thread.
    web_breaker(engine_address engine, std::shared_ptr<http::http_outbox> outbox,
                listener on_broken);
    web_breaker(const web_breaker&) = delete;
    web_breaker& operator=(const web_breaker&) = delete;
    ~web_breaker();

    /// False: too many wait already.
    [[nodiscard]] bool add(web_break task);

private:
    struct shared_state;
    static void run(const std::shared_ptr<shared_state>& shared);

    std::shared_ptr<shared_state> shared_; ///< with the thread
};

} // namespace holdfast::cli
