#include "holdfast/api/asking.hpp"
#include "holdfast/api/failure.hpp"
#include "holdfast/api/visitors.hpp"
#include "holdfast/core/client_core.hpp"
#include "holdfast/core/threads.hpp"

#include <holdfast/recursive_mutex.hpp>

#include <utility>

namespace holdfast {

class recursive_mutex::body {
public:
    body(std::shared_ptr<core::client_core> client, core::request request)
        : core{std::move(client)}, proto{std::move(request)}, id{*core, proto}, key{key_of(id)} {}

    [[nodiscard]] core::recursion::entry mine() const {
        if (core->inherited()) { return {}; } // its lock may have been held when we were forked
        return core->recursion().find(core::this_thread(), key);
    }

    [[nodiscard]] std::shared_ptr<core::hold> need(const char* what) const {
        auto found = mine();
        if (found.count == 0) {
            throw error{errc::not_held, core::describe(proto.kind, proto.name) + ": " + what};
        }
        return std::move(found.held);
    }

    std::shared_ptr<core::client_core> core;
    core::request proto;
    core::lock_id id;
    std::string key; ///< by which its recursion is known: in another layout it is another lock
    api::visitors visitors;

private:
    [[nodiscard]] static std::string key_of(const core::lock_id& lock) {
        return static_cast<char>('0' + static_cast<int>(lock.layout)) + lock.name;
    }
};

recursive_mutex::recursive_mutex(const client& client, std::string name, hold_options defaults) {
    core::check_name(name);
    core::check_options(defaults);
    body_ = std::make_unique<body>(client.core(),
                                   core::request{std::move(name), primitive::mutex, mode::exclusive,
                                                 1, 1, std::move(defaults)});
}

recursive_mutex::~recursive_mutex() = default;

bool recursive_mutex::lock_within(detail::patience wait, std::error_code* failure) {
    const api::visitors::visit visit{body_->visitors};
    auto& core = *body_->core;
    if (const auto mine = body_->mine(); mine.count > 0) {
        api::clear(failure);
        if (mine.held->why_lost() || !mine.held->valid()) {
            api::fail(failure, make_error_code(errc::lost),
                      core::describe(primitive::mutex, name()) +
                          ": an outer lock of this thread was lost; unlock all of them first");
            return false;
        }
        core.recursion().increment(core::this_thread(), body_->key);
        return true;
    }
    if (core::held_by_this_thread(core, body_->id)) { // as a mutex, which does not count
        api::clear(failure);
        api::fail(failure, make_error_code(errc::would_deadlock),
                  core::describe(primitive::mutex, name()));
        return false;
    }
    const auto got = api::ask(core, body_->proto, wait, {}, true, failure);
    if (!got) { return false; }
    api::give_to_this_thread(body_->core, body_->id, got,
                             [&] { core.recursion().begin(core::this_thread(), body_->key, got); });
    return true;
}

void recursive_mutex::unlock() noexcept {
    auto& core = *body_->core;
    if (core.inherited()) { return; }
    if (body_->mine().count == 0) {
        core.tell([this] {
            return event{event::kind::unlock_not_held,
                         name(),
                         {},
                         0,
                         make_error_code(errc::not_held),
                         "unlock() by a thread that does not hold it"};
        });
        return;
    }
    const auto held = core.recursion().decrement(core::this_thread(), body_->key);
    if (!held) { return; } // an inner unlock
    core::forget_hold(held.get());
    api::let_go(core, *held);
}

unsigned recursive_mutex::count() const noexcept { return body_->mine().count; }

std::uint64_t recursive_mutex::token() const { return api::token_of(*body_->need("token()")); }

std::stop_token recursive_mutex::lost() const { return body_->core->lost(*body_->need("lost()")); }

bool recursive_mutex::valid() const noexcept {
    const auto mine = body_->mine();
    return mine.count > 0 && mine.held->valid();
}

const std::string& recursive_mutex::name() const noexcept { return body_->proto.name; }

} // namespace holdfast
