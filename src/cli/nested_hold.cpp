#include "cli/nested_hold.hpp"

#include "cli/messages.hpp"
#include "cli/party_text.hpp"
#include "cli/run_owners.hpp"
#include "holdfast/base/quote.hpp"

#include <holdfast/admin.hpp>
#include <holdfast/error.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <system_error>

namespace holdfast::cli {

namespace {

constexpr std::chrono::milliseconds inspection_wait{500};

/// The locks with the names of the settings that somebody holds.
std::vector<lock_info> find_held(const run_settings& settings) {
    std::vector<lock_info> out;
    try {
        auto engine = settings.engine;
        engine.options.connect_wait = std::min(engine.options.connect_wait, inspection_wait);
        const admin admin{engine.open()};
        for (const auto& name : settings.names) {
            std::error_code failure;
            auto info = admin.inspect(name, failure);
            if (failure) { break; }
            if (info) { out.push_back(std::move(*info)); }
        }
    } catch (const error&) { // NOLINT(bugprone-empty-catch): the request itself fails, too
    }
    return out;
}

/// Whether the engine grants the request only after these holders of its own have released.
bool excludes(const lock_info& lock, const std::vector<party>& own, const run_settings& settings) {
    if (own.empty() || lock.kind != settings.kind) { return false; } // another kind is refused
    if (settings.kind == primitive::semaphore) {
        unsigned taken = 0;
        for (const auto& holder : own) { taken += holder.permits; }
        const bool is_ours = lock.limit == settings.limit || lock.resized; // else it is refused
        return is_ours && taken + settings.permits > lock.limit;
    }
    return settings.mode == mode::exclusive || own.front().mode == mode::exclusive;
}

} // namespace

void refuse_nested_hold(const run_settings& settings) {
    if (!is_in_run()) { return; }
    for (const auto& lock : find_held(settings)) {
        auto own = lock.holders;
        std::erase_if(
            own, [](const party& holder) { return holder.resting || !is_run_owner(holder.owner); });
        if (!excludes(lock, own, settings)) { continue; }
        throw error{errc::invalid_option,
                    base::quote(lock.name) + ": the enclosing 'holdfast run' holds it (" +
                        describe(own.front()) +
                        "), so this one would wait for itself; leave the inner one out, or use "
                        "another name"};
    }
}

} // namespace holdfast::cli
