#include "holdfast/api/access.hpp"
#include "holdfast/api/failure.hpp"
#include "holdfast/api/hold_calls.hpp"
#include "holdfast/base/quote.hpp"
#include "holdfast/core/client_core.hpp"
#include "holdfast/core/hold_set.hpp"

#include <holdfast/lease_set.hpp>

#include <algorithm>
#include <utility>

namespace holdfast {

namespace {

constexpr const char* empty_set =
    "the set is empty: it was released, moved from, or never acquired; acquire it first";

} // namespace

lease_set::lease_set() noexcept = default;
lease_set::lease_set(std::shared_ptr<core::client_core> core,
                     std::shared_ptr<core::hold_set> set) noexcept
    : core_{std::move(core)}, set_{std::move(set)} {}
lease_set::lease_set(lease_set&& other) noexcept = default;

lease_set& lease_set::operator=(lease_set&& other) noexcept {
    if (this != &other) {
        release_in_background();
        set_ = std::move(other.set_);
        core_ = std::move(other.core_);
    }
    return *this;
}

lease_set::~lease_set() { release_in_background(); }

void lease_set::release_in_background() noexcept {
    const auto core = std::exchange(core_, nullptr); // destroyed after the set
    const auto set = std::exchange(set_, nullptr);
    if (!set || set->inherited() || set->why_lost()) { return; }
    core->release_in_background(*set);
}

bool lease_set::valid() const noexcept { return set_ && set_->valid(); }

std::chrono::milliseconds lease_set::remaining() const noexcept {
    if (!set_) { return {}; }
    return std::chrono::duration_cast<std::chrono::milliseconds>(set_->remaining());
}

std::size_t lease_set::size() const noexcept { return set_ ? set_->holds().size() : 0; }

std::vector<std::string> lease_set::names() const {
    std::vector<std::string> out;
    if (!set_) { return out; }
    for (const auto& each : set_->holds()) { out.push_back(each->ticket().name); }
    return out;
}

const core::hold& lease_set::find(std::string_view name, const char* call) const {
    if (!set_) { throw error{errc::not_held, std::string{call} + ": " + empty_set}; }
    for (const auto& each : set_->holds()) {
        if (each->ticket().name == name) { return *each; }
    }
    throw error{errc::not_held, std::string{call} + ": the set does not have " +
                                    base::quote(std::string{name}) +
                                    "; acquire_all() it with the others: names() has those"};
}

std::uint64_t lease_set::token(std::string_view name) const {
    const auto& hold = find(name, "token()"); // throws if there is no core
    return api::token_of(*core_, hold);
}

std::string lease_set::owner(std::string_view name) const {
    return find(name, "owner()").ticket().owner.text();
}

std::map<std::string, std::uint64_t> lease_set::tokens() const {
    if (!set_) { throw error{errc::not_held, std::string{"tokens(): "} + empty_set}; }
    std::map<std::string, std::uint64_t> out;
    for (const auto& each : set_->holds()) {
        out.emplace(each->ticket().name, api::token_of(*core_, *each));
    }
    return out;
}

std::stop_token lease_set::lost() const { return set_ ? core_->lost(*set_) : std::stop_token{}; }

std::optional<loss> lease_set::why_lost() const noexcept {
    return set_ ? set_->why_invalid() : std::nullopt;
}

namespace {

void do_extend(core::client_core* core, const core::hold_set* set, std::chrono::milliseconds lease,
               std::error_code* failure) {
    api::clear(failure);
    if (set == nullptr) {
        return api::fail(failure, make_error_code(errc::not_held), "extend()", empty_set);
    }
    const auto check = [&] {
        for (const auto& each : set->holds()) {
            core::check_lease(lease, each->margin());
            if (!each->inherited()) { core::check_longest_lease(lease, core->caps(*each)); }
        }
    };
    if (!api::passes(failure, check)) { return; }
    for (const auto& each : set->holds()) {
        if (const auto code = core->extend(*each, lease)) {
            return api::fail(failure, code, "extend() of " + base::quote(each->ticket().name));
        }
    }
}

release_answer do_release(const std::shared_ptr<core::client_core>& core,
                          const std::shared_ptr<core::hold_set>& set, std::error_code* failure) {
    api::clear(failure);
    if (!set) {
        api::fail(failure, make_error_code(errc::not_held), "release()", empty_set);
        return release_answer::already_lost;
    }
    const auto result = core->release(*set);
    if (result.failure) { api::fail(failure, result.failure, "release() of a set", result.detail); }
    return result.answer;
}

} // namespace

void lease_set::extend(std::chrono::milliseconds duration) {
    do_extend(core_.get(), set_.get(), duration, nullptr);
}
void lease_set::extend(std::chrono::milliseconds duration, std::error_code& failure) {
    do_extend(core_.get(), set_.get(), duration, &failure);
}

// The set is empty afterwards, also after a failure: a hold that was not released expires.
release_answer lease_set::release() {
    const auto core = std::exchange(core_, nullptr);
    return do_release(core, std::exchange(set_, nullptr), nullptr);
}
release_answer lease_set::release(std::error_code& failure) {
    const auto core = std::exchange(core_, nullptr);
    return do_release(core, std::exchange(set_, nullptr), &failure);
}

namespace {

std::vector<core::lock_request> requests_for(std::vector<std::string> names,
                                             const acquire_options& options) {
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    if (names.empty() || names.size() > engine::max_set_items) {
        throw error{errc::invalid_option, "names has " + std::to_string(names.size()) +
                                              " different names; it must have 1 to " +
                                              std::to_string(engine::max_set_items)};
    }
    std::vector<core::lock_request> out;
    out.reserve(names.size());
    for (auto& name : names) {
        core::check_name(name);
        auto& request = out.emplace_back();
        request.name = std::move(name);
        core::override_options(request.options, options);
    }
    return out;
}

} // namespace

std::optional<lease_set> detail::acquire_names(const client& client, std::vector<std::string> names,
                                               wait_limit wait, const acquire_options& options,
                                               std::error_code* failure) {
    api::clear(failure);
    const auto& core = access::core(client);
    std::vector<core::lock_request> requests;
    const auto check = [&] {
        requests = requests_for(std::move(names), options);
        if (core->inherited()) { return; } // reported below, and the engine must not be used
        core::check_request(requests.front(),
                            core->caps(primitive::mutex, core::lock_format_of({})));
    };
    if (!api::passes(failure, check)) { return std::nullopt; }
    auto result = core->acquire_all(requests, wait, options.stop);
    const bool waits = wait.at_most == wait_limit::unlimited().at_most;
    if (result.failure && (waits || result.failure != errc::cancelled)) {
        const auto subject = result.name.empty() ? "acquire_all()" : base::quote(result.name);
        api::fail(failure, result.failure, subject, result.detail);
    }
    if (result.holds.empty()) { return std::nullopt; }
    return access::make_set(core, core->make_set(std::move(result.holds)));
}

} // namespace holdfast
