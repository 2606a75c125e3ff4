#include "holdfast/api/failure.hpp"
#include "holdfast/core/client_core.hpp"

#include <holdfast/admin.hpp>

#include <utility>

namespace holdfast {

admin::admin(const client& client, std::optional<layout> in) : core_{client.core()}, in_{in} {}

namespace {

constexpr unsigned most_per_page = 1'000;

/// Throws error(unsupported) for a layout that the engine does not have.
void check_layout(const core::client_core& core, const engine::lock_format& format) {
    if (core.inherited()) { return; } // which is an error of its own
    const auto can = core.caps(primitive::mutex, format);
    if (!can.knows_layout) {
        throw error{errc::unsupported, std::string{can.what} + " has no layout but native"};
    }
}

lock_page list_or(core::client_core& core, const engine::lock_format& format,
                  const list_options& which, std::error_code* failure) {
    api::clear(failure);
    if (which.count < 1 || which.count > most_per_page) {
        api::fail(failure, make_error_code(errc::invalid_option),
                  "count is " + std::to_string(which.count) + "; it must be from 1 to 1000");
        return {};
    }
    const auto check = [&] {
        check_layout(core, format);
        if (core.inherited()) { return; }
        const auto can = core.caps(primitive::mutex, format);
        if (!can.lists) {
            throw error{errc::unsupported, std::string{"list: "} + can.what +
                                               " cannot tell locks from other keys; inspect() "
                                               "looks at one that you name"};
        }
    };
    if (!api::passes(failure, check)) { return {}; }
    const auto report = core.ask(engine::list_op{which.prefix, which.cursor, which.count, format});
    if (report.failure) { api::fail(failure, report.failure, "list: " + report.detail); }
    if (!report.answer.report) { return {}; }
    return {report.answer.report->locks, report.answer.report->cursor};
}

std::optional<lock_info> inspect_or(core::client_core& core, const engine::lock_format& format,
                                    std::string_view name, std::error_code* failure) {
    api::clear(failure);
    const std::string whose{name};
    const auto check = [&] {
        core::check_name(whose);
        check_layout(core, format);
    };
    if (!api::passes(failure, check)) { return std::nullopt; }
    const auto report = core.ask(engine::inspect_op{whose, format});
    if (report.failure) { api::fail(failure, report.failure, "inspect: " + report.detail); }
    if (!report.answer.report || report.answer.report->locks.empty()) { return std::nullopt; }
    const auto& found = report.answer.report->locks.front();
    if (found.holders.empty() && found.waiters.empty()) { return std::nullopt; }
    return found;
}

bool break_or(core::client_core& core, const engine::lock_format& format, std::string_view name,
              const break_options& which, std::error_code* failure) {
    api::clear(failure);
    const std::string whose{name};
    const auto check = [&] {
        core::check_name(whose);
        check_layout(core, format);
    };
    if (!api::passes(failure, check)) { return false; }
    const auto report = core.ask(engine::break_op{whose, which.only_token, format});
    if (report.failure) { api::fail(failure, report.failure, "break: " + report.detail); }
    return report.answer.status == engine::op_status::released;
}

engine::ticket ticket_of(const engine::lock_format& format, std::string_view name,
                         std::string_view owner) {
    engine::ticket ticket{std::string{name}, {}, format};
    core::check_name(ticket.name);
    const auto id = base::owner_id::parse(owner);
    if (!id) {
        throw error{errc::invalid_option,
                    "owner is not the id of one; it looks like <client uuid>:<number>"};
    }
    ticket.owner = *id;
    return ticket;
}

} // namespace

bool admin::renew(std::string_view name, std::string_view owner,
                  std::chrono::milliseconds lease) const {
    auto ticket = ticket_of({in_, {}}, name, owner);
    check_layout(*core_, ticket.format);
    core::check_lease(lease, {});
    const auto report = core_->ask(engine::beat_op{{{std::move(ticket), false, lease}}});
    if (report.failure) { throw error{report.failure, "renew: " + report.detail}; }
    if (report.answer.beats.empty()) { return false; }
    const auto& one = report.answer.beats[0];
    if (one.status == engine::op_status::failed) { throw error{one.error, "renew: " + one.detail}; }
    return one.status == engine::op_status::renewed;
}

bool admin::release(std::string_view name, std::string_view owner) const {
    auto ticket = ticket_of({in_, {}}, name, owner);
    check_layout(*core_, ticket.format);
    const auto report = core_->ask(engine::release_op{std::move(ticket)});
    if (report.failure) { throw error{report.failure, "release: " + report.detail}; }
    return report.answer.status == engine::op_status::released ||
           report.answer.status == engine::op_status::handed_off;
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
