#include "holdfast/api/failure.hpp"
#include "holdfast/core/client_core.hpp"

#include <holdfast/admin.hpp>

namespace holdfast {

admin::admin(const client& of) : core_{of.core()} {}

namespace {

constexpr unsigned most_per_page = 1'000;

lock_page list_or(core::client_core& core, const list_options& which, std::error_code* failure) {
    api::clear(failure);
    if (which.count < 1 || which.count > most_per_page) {
        api::fail(failure, make_error_code(errc::invalid_option),
                  "count is " + std::to_string(which.count) + "; it must be from 1 to 1000");
        return {};
    }
    const auto said = core.ask(engine::list_op{which.prefix, which.cursor, which.count});
    if (said.failure) { api::fail(failure, said.failure, "list: " + said.detail); }
    if (!said.answer.report) { return {}; }
    return {said.answer.report->locks, said.answer.report->cursor};
}

std::optional<lock_info> inspect_or(core::client_core& core, std::string_view name,
                                    std::error_code* failure) {
    api::clear(failure);
    const std::string whose{name};
    if (!api::passes(failure, [&] { core::check_name(whose); })) { return std::nullopt; }
    const auto said = core.ask(engine::inspect_op{whose});
    if (said.failure) { api::fail(failure, said.failure, "inspect: " + said.detail); }
    if (!said.answer.report || said.answer.report->locks.empty()) { return std::nullopt; }
    const auto& found = said.answer.report->locks.front();
    if (found.holders.empty() && found.waiters.empty()) { return std::nullopt; }
    return found;
}

bool break_or(core::client_core& core, std::string_view name, const break_options& which,
              std::error_code* failure) {
    api::clear(failure);
    const std::string whose{name};
    if (!api::passes(failure, [&] { core::check_name(whose); })) { return false; }
    const auto said = core.ask(engine::break_op{whose, which.only_token});
    if (said.failure) { api::fail(failure, said.failure, "break: " + said.detail); }
    return said.answer.what == engine::fate::released;
}

engine::ticket ticket_of(std::string_view name, std::string_view owner) {
    engine::ticket who{std::string{name}, {}};
    core::check_name(who.name);
    const auto id = base::owner_id::parse(owner);
    if (!id) {
        throw error{errc::invalid_option,
                    "owner is not the id of one; it looks like <client uuid>:<number>"};
    }
    who.owner = *id;
    return who;
}

} // namespace

bool admin::renew(std::string_view name, std::string_view owner,
                  std::chrono::milliseconds lease) const {
    auto who = ticket_of(name, owner);
    core::check_lease(lease, {});
    const auto said = core_->ask(engine::beat_op{{{std::move(who), false, lease}}});
    if (said.failure) { throw error{said.failure, "renew: " + said.detail}; }
    if (said.answer.beats.empty()) { return false; }
    const auto& one = said.answer.beats[0];
    if (one.what == engine::fate::failed) { throw error{one.error, "renew: " + one.detail}; }
    return one.what == engine::fate::renewed;
}

bool admin::release(std::string_view name, std::string_view owner) const {
    const auto said = core_->ask(engine::release_op{ticket_of(name, owner)});
    if (said.failure) { throw error{said.failure, "release: " + said.detail}; }
    return said.answer.what == engine::fate::released ||
           said.answer.what == engine::fate::handed_off;
}

lock_page admin::list(const list_options& which) const { return list_or(*core_, which, nullptr); }
lock_page admin::list(const list_options& which, std::error_code& failure) const {
    return list_or(*core_, which, &failure);
}

std::optional<lock_info> admin::inspect(std::string_view name) const {
    return inspect_or(*core_, name, nullptr);
}
std::optional<lock_info> admin::inspect(std::string_view name, std::error_code& failure) const {
    return inspect_or(*core_, name, &failure);
}

bool admin::break_lock(std::string_view name, const break_options& which) const {
    return break_or(*core_, name, which, nullptr);
}
bool admin::break_lock(std::string_view name, const break_options& which,
                       std::error_code& failure) const {
    return break_or(*core_, name, which, &failure);
}

} // namespace holdfast
