#include "holdfast/api/asking.hpp"

#include "holdfast/api/failure.hpp"

namespace holdfast::api {

std::shared_ptr<core::hold> ask(core::client_core& core, const core::request& what,
                                detail::patience wait, const std::stop_token& stop,
                                bool cancel_fails, std::error_code* failure) {
    clear(failure);
    if (!core.inherited() && !passes(failure, [&] {
            core::check_request(what, core.caps(what.kind, core::writing_of(what.options)));
        })) {
        return nullptr;
    }
    auto said = core.acquire(what, wait, stop);
    if (said.failure && (cancel_fails || said.failure != errc::cancelled)) {
        auto detail = core::describe(what.kind, what.name);
        if (!said.detail.empty()) { detail += ": " + said.detail; }
        fail(failure, said.failure, detail);
    }
    return std::move(said.got);
}

void let_go(core::client_core& core, core::hold& held) noexcept {
    if (held.why_lost()) {
        core.tell(event::kind::unlock_after_loss, held, make_error_code(errc::lost));
        return;
    }
    core.let_go(held, true);
}

std::uint64_t token_of(const core::hold& held) {
    if (held.token() == 0) {
        throw error{errc::unsupported,
                    "token(): this engine or layout gives no fencing tokens; see "
                    "hold_options::fencing"};
    }
    return held.token();
}

} // namespace holdfast::api
