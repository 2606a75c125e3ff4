#include "holdfast/api/failure.hpp"
#include "holdfast/api/hold_calls.hpp"
#include "holdfast/base/quote.hpp"
#include "holdfast/core/client_core.hpp"
#include "holdfast/core/hold.hpp"

#include <holdfast/lease.hpp>

#include <utility>

namespace holdfast {

namespace {

constexpr const char* empty_lease =
    "the lease is empty: it was released, moved from, or never acquired; acquire it first";

} // namespace

const char* to_string(loss reason) noexcept {
    switch (reason) {
    case loss::expired: return "expired";
    case loss::taken: return "taken";
    case loss::max_hold: return "max_hold";
    case loss::thread_exited: return "thread_exited";
    }
    return "unknown";
}

lease::lease() noexcept = default;
lease::lease(std::shared_ptr<core::client_core> core, std::shared_ptr<core::hold> hold) noexcept
    : core_{std::move(core)}, hold_{std::move(hold)} {}
lease::lease(lease&& other) noexcept = default;

lease& lease::operator=(lease&& other) noexcept {
    if (this != &other) {
        release_in_background();
        hold_ = std::move(other.hold_);
        core_ = std::move(other.core_);
    }
    return *this;
}

lease::~lease() { release_in_background(); }

void lease::release_in_background() noexcept {
    const auto held = std::exchange(hold_, nullptr);
    const auto core = std::exchange(core_, nullptr);
    if (!held || held->inherited() || held->why_lost()) { return; }
    core->release_in_background(*held, false);
}

bool lease::valid() const noexcept { return hold_ && hold_->valid(); }

std::chrono::milliseconds lease::remaining() const noexcept {
    if (!hold_) { return {}; }
    return std::chrono::duration_cast<std::chrono::milliseconds>(hold_->remaining());
}

std::chrono::steady_clock::time_point lease::valid_until() const noexcept {
    const auto now = std::chrono::steady_clock::now(); // first: the result must not be too late
    const auto left = hold_ ? hold_->remaining() : base::duration::zero();
    return left > base::duration::zero() ? now + left : now - std::chrono::nanoseconds{1};
}

std::uint64_t lease::token() const {
    if (!hold_) { throw error{errc::not_held, std::string{"token(): "} + empty_lease}; }
    return api::token_of(*core_, *hold_);
}

std::string lease::owner() const { return hold_ ? hold_->ticket().owner.text() : std::string{}; }
std::string lease::name() const { return hold_ ? hold_->ticket().name : std::string{}; }

std::string lease::detach() {
    const auto held = std::exchange(hold_, nullptr);
    const auto core = std::exchange(core_, nullptr);
    if (!held) { return {}; }
    core->forget(*held);
    return held->ticket().owner.text();
}

std::stop_token lease::lost() const { return hold_ ? core_->lost(*hold_) : std::stop_token{}; }

std::optional<loss> lease::why_lost() const noexcept {
    return hold_ ? hold_->why_invalid() : std::nullopt;
}

namespace {

void do_extend(core::client_core* core, core::hold* held, std::chrono::milliseconds lease,
               std::error_code* failure) {
    api::clear(failure);
    if (held == nullptr) {
        return api::fail(failure, make_error_code(errc::not_held), "extend()", empty_lease);
    }
    const auto check = [&] {
        core::check_lease(lease, held->margin());
        if (!held->inherited()) { core::check_longest_lease(lease, core->caps(*held)); }
    };
    if (!api::passes(failure, check)) { return; }
    if (const auto code = core->extend(*held, lease)) {
        api::fail(failure, code, "extend() of " + base::quote(held->ticket().name));
    }
}

} // namespace

void lease::extend(std::chrono::milliseconds duration) {
    do_extend(core_.get(), hold_.get(), duration, nullptr);
}
void lease::extend(std::chrono::milliseconds duration, std::error_code& failure) {
    do_extend(core_.get(), hold_.get(), duration, &failure);
}

namespace {

release_answer do_release(const std::shared_ptr<core::client_core>& core,
                          const std::shared_ptr<core::hold>& held, std::error_code* failure) {
    api::clear(failure);
    if (!held) {
        api::fail(failure, make_error_code(errc::not_held), "release()", empty_lease);
        return release_answer::already_lost;
    }
    const auto result = core->release(*held);
    if (result.failure) {
        api::fail(failure, result.failure, "release() of " + base::quote(held->ticket().name),
                  result.detail);
    }
    return result.answer;
}

} // namespace

// The lease is empty afterwards, also after a failure: a hold that was not released expires.
release_answer lease::release() {
    const auto held = std::exchange(hold_, nullptr);
    return do_release(std::exchange(core_, nullptr), held, nullptr);
}
release_answer lease::release(std::error_code& failure) {
    const auto held = std::exchange(hold_, nullptr);
    return do_release(std::exchange(core_, nullptr), held, &failure);
}

} // namespace holdfast
