#include "holdfast/api/hold_calls.hpp"

#include <holdfast/error.hpp>

#include <string>

namespace holdfast::api {

namespace {

error no_token(const core::client_core& core, const core::hold& hold) {
    if (!hold.inherited()) {
        const auto can = core.caps(hold);
        if (can.why_no_fencing != nullptr) {
            return {errc::unsupported,
                    std::string{"token(): "} + can.label + ' ' + can.why_no_fencing};
        }
    }
    return {errc::unsupported, "token(): without lock_options::fencing this layout issues no "
                               "fencing tokens; set it if all users of the lock are Holdfast's"};
}

} // namespace

void unlock(core::client_core& core, core::hold& hold) noexcept {
    if (const auto reason = hold.why_lost()) {
        core.report_event(event::kind::unlock_after_loss, hold, make_error_code(errc::lost),
                          core::describe(*reason));
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
    if (hold.token() == 0) { throw no_token(core, hold); }
    return hold.token();
}

} // namespace holdfast::api
