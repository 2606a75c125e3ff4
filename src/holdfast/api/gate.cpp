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
                                        [me](const entry& item) { return item.thread == me; });
        return found == entries.rend() ? nullptr : found->held;
    }

    void put(const std::shared_ptr<core::hold>& held) {
        api::give_to_this_thread(core, id, held, [&] {
            const std::lock_guard lock{mutex};
            entries.push_back({core::this_thread(), held});
        });
    }

    [[nodiscard]] std::shared_ptr<core::hold> take(mode mode) {
        const std::lock_guard lock{mutex};
        const auto me = core::this_thread();
        const auto found = std::find_if(entries.rbegin(), entries.rend(), [&](const entry& item) {
            return item.thread == me && item.held->how() == mode;
        });
        if (found == entries.rend()) { return nullptr; }
        auto held = std::move(found->held);
        entries.erase(std::next(found).base());
        core::forget_hold(held.get());
        return held;
    }

    [[nodiscard]] core::request wanting(want want, const hold_options& options) const {
        auto out = proto;
        out.mode = want.mode;
        out.permits = want.permits;
        out.options = options;
        // These are the lock's: in another layout it would be another lock.
        if (!options.layout) {
            out.options.layout = proto.options.layout;
            if (!options.fencing) { out.options.fencing = proto.options.fencing; }
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

gate::gate(const client& client, std::string name, primitive kind, unsigned limit,
           hold_options defaults) {
    core::check_name(name);
    core::check_limit(limit);
    core::check_options(defaults);
    body_ = std::make_unique<body>(
        client.core(), core::request{std::move(name), kind, {}, 1, limit, std::move(defaults)});
}

gate::~gate() {
    for (auto& item : body_->entries) {
        const lease released_here{body_->core, std::move(item.held)};
    }
}

const std::string& gate::name() const noexcept { return body_->proto.name; }
const hold_options& gate::defaults() const noexcept { return body_->proto.options; }

std::optional<lease> gate::acquire(want want, patience wait, const hold_options& options,
                                   std::stop_token stop, std::error_code* failure) {
    const api::visitors::visit visit{body_->visitors};
    auto got = api::ask(*body_->core, body_->wanting(want, options), wait, stop, false, failure);
    if (!got) { return std::nullopt; }
    return lease{body_->core, std::move(got)};
}

lease gate::acquire(want want, const hold_options& options, std::stop_token stop,
                    std::error_code* failure) {
    const api::visitors::visit visit{body_->visitors};
    auto got = api::ask(*body_->core, body_->wanting(want, options), patience::forever(), stop,
                        true, failure);
    return got ? lease{body_->core, std::move(got)} : lease{};
}

bool gate::lock(want want, patience wait, std::error_code* failure) {
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
        const auto code = core.extend(*held, core::terms_of(defaults()).lease);
        if (!code) { return true; }
        if (code != errc::lost) {
            api::fail(failure, code, core::describe(body_->proto.kind, name()));
            return false;
        }
    }
    const auto got = api::ask(core, body_->wanting(want, defaults()), wait, {}, true, failure);
    if (!got) { return false; }
    body_->put(got);
    return true;
}

void gate::unlock(want want) noexcept {
    if (body_->core->inherited()) { return; }
    const auto held = body_->take(want.mode);
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
