#include "holdfast/api/hold_calls.hpp"

#include <holdfast/error.hpp>

namespace holdfast::api {

void unlock(core::client_core& core, core::hold& hold) noexcept {
    if (hold.why_lost()) {
        core.report_event(event::kind::unlock_after_loss, hold, make_error_code(errc::lost));
        return;
    }
    core.release_in_background(hold, true);
}

std::uint64_t token_of(const core::client_core& core, const core::hold& hold) {
    // In a child of fork() the engine must not be used.
    const bool reads = hold.mode() == mode::shared && !hold.inherited();
    if (reads && !core.caps(hold).readers_fence) {
        throw error{errc::unsupported,
                    "token(): the tokens of readers do not fence on this engine; a writer's do"};
    }
    if (hold.token() == 0) {
        throw error{errc::unsupported,
                    "token(): this engine or layout issues no fencing tokens; set "
                    "lock_options::fencing if all users of the lock are Holdfast's"};
    }
    return hold.token();
}

} // namespace holdfast::api
