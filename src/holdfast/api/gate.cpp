#include "holdfast/api/asking.hpp"
#include "holdfast/api/failure.hpp"
#include "holdfast/api/visitors.hpp"
#include "holdfast/core/client_core.hpp"
#include "holdfast/core/threads.hpp"

#include <holdfast/client.hpp>
#include <holdfast/detail/gate.hpp>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace holdfast::detail {

/// Which thread holds what through this gate. A thread that lost its lease keeps its entry until it
/// unlocks, and others are not touched by that.
class gate::body {
public:
    struct entry {
        std::uint64_t thread;
        std::shared_ptr<core::hold> held;
    };

    body(std::shared_ptr<core::client_core> client, core::request lock)
        : core{std::move(client)}, proto{std::move(lock)}, id{*core, proto} {}

    [[nodiscard]] std::shared_ptr<core::hold> mine() const {
        if (core->inherited()) { return nullptr; } // the lock may have been held at the fork()
        const std::lock_guard lock{mutex};
        const auto me = core::this_thread();
        const auto found = std::find_if(entries.rbegin(), entries.rend(),
                                        [me](const entry& one) { return one.thread == me; });
        return found == entries.rend() ? nullptr : found->held;
    }

    void put(const std::shared_ptr<core::hold>& held) {
        api::give_to_this_thread(core, id, held, [&] {
            const std::lock_guard lock{mutex};
            entries.push_back({core::this_thread(), held});
        });
    }

    [[nodiscard]] std::shared_ptr<core::hold> take(mode how) {
        const std::lock_guard lock{mutex};
        const auto me = core::this_thread();
        const auto found = std::find_if(entries.rbegin(), entries.rend(), [&](const entry& one) {
            return one.thread == me && one.held->how() == how;
        });
        if (found == entries.rend()) { return nullptr; }
        auto held = std::move(found->held);
        entries.erase(std::next(found).base());
        core::forget_hold(held.get());
        return held;
    }

    [[nodiscard]] core::request wanting(want what, const hold_options& how) const {
        auto out = proto;
        out.how = what.how;
        out.permits = what.permits;
        out.options = how;
        // These are the lock's: in another layout it would be another lock.
        if (!how.layout) {
            out.options.layout = proto.options.layout;
            if (!how.fencing) { out.options.fencing = proto.options.fencing; }
        }
        return out;
    }

    std::shared_ptr<core::client_core> core;
    core::request proto;
    core::lock_id id;
    mutable std::mutex mutex;
    std::vector<entry> entries;
    api::visitors visitors;
};

gate::gate(const client& of, std::string name, primitive kind, unsigned limit,
           hold_options defaults) {
    core::check_name(name);
    core::check_limit(limit);
    core::check_options(defaults);
    body_ = std::make_unique<body>(
        of.core(), core::request{std::move(name), kind, {}, 1, limit, std::move(defaults)});
}

gate::~gate() {
    for (auto& one : body_->entries) {
        const lease released_here{body_->core, std::move(one.held)};
    }
}

const std::string& gate::name() const noexcept { return body_->proto.name; }
const hold_options& gate::defaults() const noexcept { return body_->proto.options; }

std::optional<lease> gate::acquire(want what, patience wait, const hold_options& how,
                                   std::stop_token stop, std::error_code* failure) {
    const api::visitors::visit visit{body_->visitors};
    auto got = api::ask(*body_->core, body_->wanting(what, how), wait, stop, false, failure);
    if (!got) { return std::nullopt; }
    return lease{body_->core, std::move(got)};
}

lease gate::acquire(want what, const hold_options& how, std::stop_token stop,
                    std::error_code* failure) {
    const api::visitors::visit visit{body_->visitors};
    auto got =
        api::ask(*body_->core, body_->wanting(what, how), patience::forever(), stop, true, failure);
    return got ? lease{body_->core, std::move(got)} : lease{};
}

bool gate::lock(want what, patience wait, std::error_code* failure) {
    const api::visitors::visit visit{body_->visitors};
    auto& core = *body_->core;
    if (const auto held = core::held_by_this_thread(core, body_->id)) {
        api::clear(failure);
        const bool refreshes =
            core.caps(body_->proto.kind, core::writing_of(defaults())).refreshes &&
            held == body_->mine();
        if (!refreshes) {
            // Also a try: std::lock would try for ever.
            api::fail(failure, make_error_code(errc::would_deadlock),
                      core::describe(body_->proto.kind, name()));
            return false;
        }
        const auto said = core.extend(*held, core::terms_of(defaults()).lease);
        if (!said) { return true; }
        if (said != errc::lost) {
            api::fail(failure, said, core::describe(body_->proto.kind, name()));
            return false;
        }
    }
    const auto got = api::ask(core, body_->wanting(what, defaults()), wait, {}, true, failure);
    if (!got) { return false; }
    body_->put(got);
    return true;
}

void gate::unlock(want what) noexcept {
    if (body_->core->inherited()) { return; }
    const auto held = body_->take(what.how);
    auto& core = *body_->core;
    if (!held) {
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
    api::let_go(core, *held);
}

std::uint64_t gate::token() const {
    const auto held = body_->mine();
    if (!held) {
        throw error{errc::not_held, core::describe(body_->proto.kind, name()) + ": token()"};
    }
    return api::token_of(*held);
}

std::stop_token gate::lost() const {
    const auto held = body_->mine();
    if (!held) {
        throw error{errc::not_held, core::describe(body_->proto.kind, name()) + ": lost()"};
    }
    return body_->core->lost(*held);
}

bool gate::valid() const noexcept {
    const auto held = body_->mine();
    return held && held->valid();
}

} // namespace holdfast::detail
