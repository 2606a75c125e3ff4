#include "holdfast/api/access.hpp"
#include "holdfast/api/failure.hpp"
#include "holdfast/core/client_core.hpp"

#include <holdfast/admin.hpp>

#include <utility>

namespace holdfast {

admin::admin(const client& client, std::optional<holdfast::layout> layout)
    : core_{detail::access::core(client)}, layout_{layout} {}

namespace {

constexpr unsigned most_per_page = 1'000;

/// One call of admin: its checks, its request, and the report of its failure.
class admin_call {
public:
    admin_call(core::client_core& core, std::optional<layout> layout, std::error_code* failure)
        : core_{core}, format_{layout, {}}, failure_{failure} {}

    [[nodiscard]] lock_page list(const list_options& options) const {
        const bool good = passes([&] {
            if (options.count < 1 || options.count > most_per_page) {
                throw error{errc::invalid_option, "count is " + std::to_string(options.count) +
                                                      "; it must be from 1 to 1000"};
            }
            check_layout();
            check_listing();
        });
        if (!good) { return {}; }
        const auto result =
            ask("list", engine::list_op{options.prefix, options.cursor, options.count, format_});
        if (!result.report) { return {}; }
        return {result.report->locks, result.report->cursor};
    }

    [[nodiscard]] std::optional<lock_info> inspect(const std::string& name) const {
        if (!passes([&] { check(name); })) { return std::nullopt; }
        const auto result = ask("inspect", engine::inspect_op{name, format_});
        if (!result.report || result.report->locks.empty()) { return std::nullopt; }
        const auto& found = result.report->locks.front();
        if (found.holders.empty() && found.waiters.empty()) { return std::nullopt; }
        return found;
    }

    [[nodiscard]] bool break_lock(const std::string& name, const break_options& options) const {
        if (!passes([&] { check(name); })) { return false; }
        const auto result = ask("break_lock", engine::break_op{name, options.only_token, format_});
        return result.status == engine::op_status::released;
    }

    [[nodiscard]] bool renew(const std::string& name, std::string_view owner,
                             std::chrono::milliseconds lease) const {
        engine::ticket ticket;
        const bool good = passes([&] {
            ticket = ticket_for(name, owner);
            core::check_lease(lease, {});
            if (!core_.inherited()) {
                core::check_longest_lease(lease, core_.caps(primitive::mutex, format_));
            }
        });
        if (!good) { return false; }
        const auto result = ask("renew", engine::beat_op{{{std::move(ticket), false, lease}}});
        if (result.beats.empty()) { return false; }
        const auto& renewal = result.beats.front();
        if (renewal.status == engine::op_status::failed) {
            api::fail(failure_, renewal.error, "renew", renewal.detail);
        }
        return renewal.status == engine::op_status::renewed;
    }

    [[nodiscard]] bool release(const std::string& name, std::string_view owner) const {
        engine::ticket ticket;
        if (!passes([&] { ticket = ticket_for(name, owner); })) { return false; }
        const auto status = ask("release", engine::release_op{std::move(ticket)}).status;
        return status == engine::op_status::released || status == engine::op_status::handed_off;
    }

private:
    template <class Check>
    [[nodiscard]] bool passes(Check check) const {
        api::clear(failure_);
        return api::passes(failure_, check);
    }

    /// Throws error(unsupported) for a layout that the engine does not have.
    void check_layout() const {
        if (core_.inherited()) { return; } // ask() reports that, and the engine must not be used
        const auto caps = core_.caps(primitive::mutex, format_);
        if (!caps.knows_layout) {
            throw error{errc::unsupported, std::string{caps.label} + " has no layout but native"};
        }
    }

    void check_listing() const {
        if (core_.inherited()) { return; }
        const auto caps = core_.caps(primitive::mutex, format_);
        if (!caps.lists) {
            throw error{errc::unsupported, std::string{"list: "} + caps.label +
                                               " cannot distinguish locks from other keys; use "
                                               "inspect() with a name"};
        }
    }

    void check(const std::string& name) const {
        core::check_name(name);
        check_layout();
    }

    [[nodiscard]] engine::ticket ticket_for(const std::string& name, std::string_view owner) const {
        check(name);
        const auto id = base::owner_id::parse(owner);
        if (!id) {
            throw error{errc::invalid_option,
                        "owner is not an owner's id, which looks like <client uuid>:<number>"};
        }
        return {name, *id, format_};
    }

    [[nodiscard]] engine::answer ask(const char* function, const engine::op& operation) const {
        auto result = core_.execute(operation);
        if (result.failure) { api::fail(failure_, result.failure, function, result.detail); }
        return std::move(result.answer);
    }

    core::client_core& core_;
    engine::lock_format format_;
    std::error_code* failure_;
};

} // namespace

lock_page admin::list(const list_options& options) const {
    return admin_call{*core_, layout_, nullptr}.list(options);
}
lock_page admin::list(std::error_code& failure) const { return list({}, failure); }
lock_page admin::list(const list_options& options, std::error_code& failure) const {
    return admin_call{*core_, layout_, &failure}.list(options);
}

std::optional<lock_info> admin::inspect(std::string_view name) const {
    return admin_call{*core_, layout_, nullptr}.inspect(std::string{name});
}
std::optional<lock_info> admin::inspect(std::string_view name, std::error_code& failure) const {
    return admin_call{*core_, layout_, &failure}.inspect(std::string{name});
}

bool admin::break_lock(std::string_view name, const break_options& options) const {
    return admin_call{*core_, layout_, nullptr}.break_lock(std::string{name}, options);
}
bool admin::break_lock(std::string_view name, std::error_code& failure) const {
    return break_lock(name, {}, failure);
}
bool admin::break_lock(std::string_view name, const break_options& options,
                       std::error_code& failure) const {
    return admin_call{*core_, layout_, &failure}.break_lock(std::string{name}, options);
}

bool admin::renew(std::string_view name, std::string_view owner,
                  std::chrono::milliseconds lease) const {
    return admin_call{*core_, layout_, nullptr}.renew(std::string{name}, owner, lease);
}
bool admin::renew(std::string_view name, std::string_view owner, std::chrono::milliseconds lease,
                  std::error_code& failure) const {
    return admin_call{*core_, layout_, &failure}.renew(std::string{name}, owner, lease);
}

bool admin::release(std::string_view name, std::string_view owner) const {
    return admin_call{*core_, layout_, nullptr}.release(std::string{name}, owner);
}
bool admin::release(std::string_view name, std::string_view owner, std::error_code& failure) const {
    return admin_call{*core_, layout_, &failure}.release(std::string{name}, owner);
}

} // namespace holdfast
