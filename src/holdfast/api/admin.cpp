#include "holdfast/api/failure.hpp"
#include "holdfast/core/client_core.hpp"

#include <holdfast/admin.hpp>

#include <utility>

namespace holdfast {

admin::admin(const client& of, std::optional<layout> in) : core_{of.core()}, in_{in} {}

namespace {

constexpr unsigned most_per_page = 1'000;

/// Throws error(unsupported) for a layout that the engine does not have.
void check_layout(const core::client_core& core, const engine::writing& how) {
    if (core.inherited()) { return; } // which is an error of its own
    const auto can = core.caps(primitive::mutex, how);
    if (!can.knows_layout) {
        throw error{errc::unsupported, std::string{can.what} + " has no layout but native"};
    }
}

lock_page list_or(core::client_core& core, const engine::writing& how, const list_options& which,
                  std::error_code* failure) {
    api::clear(failure);
    if (which.count < 1 || which.count > most_per_page) {
        api::fail(failure, make_error_code(errc::invalid_option),
                  "count is " + std::to_string(which.count) + "; it must be from 1 to 1000");
        return {};
    }
    const auto check = [&] {
        check_layout(core, how);
        if (core.inherited()) { return; }
        const auto can = core.caps(primitive::mutex, how);
        if (!can.lists) {
            throw error{errc::unsupported, std::string{"list: "} + can.what +
                                               " cannot tell locks from other keys; inspect() "
                                               "looks at one that you name"};
        }
    };
    if (!api::passes(failure, check)) { return {}; }
    const auto said = core.ask(engine::list_op{which.prefix, which.cursor, which.count, how});
    if (said.failure) { api::fail(failure, said.failure, "list: " + said.detail); }
    if (!said.answer.report) { return {}; }
    return {said.answer.report->locks, said.answer.report->cursor};
}

std::optional<lock_info> inspect_or(core::client_core& core, const engine::writing& how,
                                    std::string_view name, std::error_code* failure) {
    api::clear(failure);
    const std::string whose{name};
    const auto check = [&] {
        core::check_name(whose);
        check_layout(core, how);
    };
    if (!api::passes(failure, check)) { return std::nullopt; }
    const auto said = core.ask(engine::inspect_op{whose, how});
    if (said.failure) { api::fail(failure, said.failure, "inspect: " + said.detail); }
    if (!said.answer.report || said.answer.report->locks.empty()) { return std::nullopt; }
    const auto& found = said.answer.report->locks.front();
    if (found.holders.empty() && found.waiters.empty()) { return std::nullopt; }
    return found;
}

bool break_or(core::client_core& core, const engine::writing& how, std::string_view name,
              const break_options& which, std::error_code* failure) {
    api::clear(failure);
    const std::string whose{name};
    const auto check = [&] {
        core::check_name(whose);
        check_layout(core, how);
    };
    if (!api::passes(failure, check)) { return false; }
    const auto said = core.ask(engine::break_op{whose, which.only_token, how});
    if (said.failure) { api::fail(failure, said.failure, "break: " + said.detail); }
    return said.answer.what == engine::fate::released;
}

engine::ticket ticket_of(const engine::writing& how, std::string_view name,
                         std::string_view owner) {
    engine::ticket who{std::string{name}, {}, how};
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
    auto who = ticket_of({in_, {}}, name, owner);
    check_layout(*core_, who.how);
    core::check_lease(lease, {});
    const auto said = core_->ask(engine::beat_op{{{std::move(who), false, lease}}});
    if (said.failure) { throw error{said.failure, "renew: " + said.detail}; }
    if (said.answer.beats.empty()) { return false; }
    const auto& one = said.answer.beats[0];
    if (one.what == engine::fate::failed) { throw error{one.error, "renew: " + one.detail}; }
    return one.what == engine::fate::renewed;
}

bool admin::release(std::string_view name, std::string_view owner) const {
    auto who = ticket_of({in_, {}}, name, owner);
    check_layout(*core_, who.how);
    const auto said = core_->ask(engine::release_op{std::move(who)});
    if (said.failure) { throw error{said.failure, "release: " + said.detail}; }
    return said.answer.what == engine::fate::released ||
           said.answer.what == engine::fate::handed_off;
}

lock_page admin::list(const list_options& which) const {
    return list_or(*core_, {in_, {}}, which, nullptr);
}
lock_page admin::list(const list_options& which, std::error_code& failure) const {
    return list_or(*core_, {in_, {}}, which, &failure);
}

std::optional<lock_info> admin::inspect(std::string_view name) const {
    return inspect_or(*core_, {in_, {}}, name, nullptr);
}
std::optional<lock_info> admin::inspect(std::string_view name, std::error_code& failure) const {
    return inspect_or(*core_, {in_, {}}, name, &failure);
}

bool admin::break_lock(std::string_view name, const break_options& which) const {
    return break_or(*core_, {in_, {}}, name, which, nullptr);
}
bool admin::break_lock(std::string_view name, const break_options& which,
                       std::error_code& failure) const {
    return break_or(*core_, {in_, {}}, name, which, &failure);
}

} // namespace holdfast
