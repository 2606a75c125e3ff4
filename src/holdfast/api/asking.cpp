#include "holdfast/api/asking.hpp"

#include "holdfast/api/failure.hpp"

namespace holdfast::api {

std::shared_ptr<core::hold> ask(core::client_core& core, const core::request& request,
                                detail::patience wait, const std::stop_token& stop,
                                bool cancel_fails, std::error_code* failure) {
    clear(failure);
    if (!core.inherited() && !passes(failure, [&] {
            core::check_request(request,
                                core.caps(request.kind, core::writing_of(request.options)));
        })) {
        return nullptr;
    }
    auto result = core.acquire(request, wait, stop);
    if (result.failure && (cancel_fails || result.failure != errc::cancelled)) {
        auto detail = core::describe(request.kind, request.name);
        if (!result.detail.empty()) { detail += ": " + result.detail; }
        fail(failure, result.failure, detail);
    }
    return std::move(result.got);
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
