#include "holdfast/api/asking.hpp"
#include "holdfast/api/failure.hpp"
#include "holdfast/base/quote.hpp"
#include "holdfast/core/client_core.hpp"
#include "holdfast/core/hold.hpp"

#include <holdfast/lease.hpp>

#include <utility>

namespace holdfast {

lease::lease() noexcept = default;
lease::lease(std::shared_ptr<core::client_core> core, std::shared_ptr<core::hold> held) noexcept
    : core_{std::move(core)}, hold_{std::move(held)} {}
lease::lease(lease&& other) noexcept = default;

lease& lease::operator=(lease&& other) noexcept {
    if (this != &other) {
        let_go();
        hold_ = std::move(other.hold_);
        core_ = std::move(other.core_);
    }
    return *this;
}

lease::~lease() { let_go(); }

void lease::let_go() noexcept {
    const auto held = std::exchange(hold_, nullptr);
    const auto core = std::exchange(core_, nullptr);
    if (!held || held->inherited() || held->why_lost()) { return; }
    core->let_go(*held, false);
}

bool lease::valid() const noexcept { return hold_ && hold_->valid(); }

std::chrono::milliseconds lease::remaining() const noexcept {
    if (!hold_) { return {}; }
    return std::chrono::duration_cast<std::chrono::milliseconds>(hold_->remaining());
}

std::uint64_t lease::token() const {
    if (!hold_) { throw error{errc::not_held, "token(): this lease is empty"}; }
    return api::token_of(*hold_);
}

std::string lease::owner() const { return hold_ ? hold_->who().owner.text() : std::string{}; }
std::string lease::name() const { return hold_ ? hold_->who().name : std::string{}; }

std::string lease::detach() {
    const auto held = std::exchange(hold_, nullptr);
    const auto core = std::exchange(core_, nullptr);
    if (!held) { return {}; }
    core->forget(*held);
    return held->who().owner.text();
}

std::stop_token lease::lost() const { return hold_ ? core_->lost(*hold_) : std::stop_token{}; }

std::optional<loss> lease::why_lost() const noexcept {
    return hold_ ? hold_->why_lost() : std::nullopt;
}

namespace {

void extend_or(core::client_core* core, core::hold* held, std::chrono::milliseconds lease,
               std::error_code* failure) {
    api::clear(failure);
    if (held == nullptr) {
        return api::fail(failure, make_error_code(errc::not_held), "extend(): the lease is empty");
    }
    if (!api::passes(failure, [&] { core::check_lease(lease, held->margin()); })) { return; }
    if (const auto code = core->extend(*held, lease)) {
        api::fail(failure, code, "extend(): " + base::quote(held->who().name));
    }
}

} // namespace

void lease::extend(std::chrono::milliseconds duration) {
    extend_or(core_.get(), hold_.get(), duration, nullptr);
}
void lease::extend(std::chrono::milliseconds duration, std::error_code& failure) {
    extend_or(core_.get(), hold_.get(), duration, &failure);
}

namespace {

release_answer release_or(const std::shared_ptr<core::client_core>& core,
                          const std::shared_ptr<core::hold>& held, std::error_code* failure) {
    api::clear(failure);
    if (!held) {
        api::fail(failure, make_error_code(errc::not_held), "release(): the lease is empty");
        return release_answer::already_lost;
    }
    const auto result = core->release(*held);
    if (result.failure) {
        api::fail(failure, result.failure,
                  "release(): " + base::quote(held->who().name) + ": " + result.detail);
    }
    return result.answer;
}

} // namespace

// Empty afterwards in any case: what is not released by now ends by itself.
release_answer lease::release() {
    const auto held = std::exchange(hold_, nullptr);
    return release_or(std::exchange(core_, nullptr), held, nullptr);
}
release_answer lease::release(std::error_code& failure) {
    const auto held = std::exchange(hold_, nullptr);
    return release_or(std::exchange(core_, nullptr), held, &failure);
}

} // namespace holdfast
