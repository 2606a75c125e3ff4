// client_core: releases of several holds, as one operation where the engine can.

#include "holdfast/core/client_core.hpp"
#include "holdfast/core/client_core_limits.hpp"
#include "holdfast/core/hold_set.hpp"
#include "holdfast/core/release_bundle.hpp"

#include <holdfast/error.hpp>

#include <new>
#include <utility>

namespace holdfast::core {

using base::instant;
using driver_turn = drive::driver::turn;

bool client_core::bundle_release(hold& hold, bool awaited, bool can_wait,
                                 instant give_up) noexcept {
    if (bundle_ == nullptr) { return false; }
    try {
        return bundle_->add(
            hold, engine::release_op{hold.ticket(), awaited, can_wait, hold.token()}, give_up);
    } catch (const std::bad_alloc&) { return false; }
}

/// Null: each hold sends its own release.
std::shared_ptr<release_bundle>
client_core::make_bundle(std::span<const std::shared_ptr<hold>> holds) noexcept {
    if (holds.size() < 2 || holds.size() > engine::max_set_items) { return nullptr; }
    try {
        const auto& format = holds.front()->ticket().format;
        std::vector<std::string_view> names;
        names.reserve(holds.size());
        for (const auto& each : holds) {
            if (each->ticket().format != format) { return nullptr; }
            names.emplace_back(each->ticket().name);
        }
        if (!driver_->is_one_step(names, format)) { return nullptr; }
        return std::make_shared<release_bundle>(*this, holds.size());
    } catch (const std::bad_alloc&) { return nullptr; }
}

release_result client_core::release(hold_set& set) {
    if (inherited()) {
        return {release_answer::already_lost, make_error_code(errc::forked), forked_detail};
    }
    const auto& holds = set.holds();
    std::vector<hold::waiting_caller> callers;
    try {
        callers = std::vector<hold::waiting_caller>(holds.size());
    } catch (const std::bad_alloc&) { // nobody else has the holds
        release_in_background(set);
        throw;
    }
    const auto bundle = make_bundle(holds);
    {
        driver_turn turn{*driver_};
        if (set.why_lost()) { return {release_answer::already_lost, {}, {}}; }
        set.stop_watching();
        bundle_ = bundle.get();
        const auto give_up = base::later(turn.now(), connect_wait());
        for (std::size_t at = 0; at < holds.size(); ++at) {
            holds[at]->release(callers[at], give_up, turn.now());
        }
        bundle_ = nullptr;
        if (bundle) { bundle->send(); }
        turn.wait(callers.front().sleeper);
    }
    release_result out;
    for (auto& caller : callers) {
        await(caller.sleeper);
        if (caller.was_lost) { out.answer = release_answer::already_lost; }
        if (caller.failure) {
            out.failure = caller.failure;
            out.detail = std::move(caller.detail);
        }
    }
    return out;
}

void client_core::release_in_background(std::span<const std::shared_ptr<hold>> holds,
                                        bool reports_loss) noexcept {
    if (holds.empty() || inherited()) { return; } // the holds belong to the parent process
    // Without memory nobody waits.
    const std::unique_ptr<hold::waiting_caller[]> callers{
        // NOLINT(*-avoid-c-arrays)
        pipeline_release_ ? nullptr : new (std::nothrow) hold::waiting_caller[holds.size()]};
    const auto bundle = make_bundle(holds);
    {
        driver_turn turn{*driver_};
        bundle_ = bundle.get();
        for (std::size_t at = 0; at < holds.size(); ++at) {
            auto* const caller = callers ? &callers[at] : nullptr;
            if (caller != nullptr) { caller->until = turn.now() + release_wait; }
            holds[at]->release_in_background(caller, reports_loss, turn.now());
        }
        bundle_ = nullptr;
        if (bundle) { bundle->send(); }
        if (callers) { turn.wait(callers[0].sleeper); }
    }
    for (std::size_t at = 0; callers && at < holds.size(); ++at) { await(callers[at].sleeper); }
}

void client_core::release_in_background(hold_set& set) noexcept {
    if (inherited()) { return; }
    {
        const driver_turn turn{*driver_};
        if (set.why_lost()) { return; }
        set.stop_watching();
    }
    release_in_background(set.holds(), false);
}

} // namespace holdfast::core
