#include "cli/waiting.hpp"

#include "cli/messages.hpp"
#include "cli/narrator.hpp"

#include <holdfast/holdfast.hpp>

namespace holdfast::cli {

namespace {

using std::chrono::milliseconds;

std::optional<lease> ask(client& fleet, const run_settings& settings, milliseconds most,
                         const std::stop_token& stop) {
    const acquire_options call{.stop = stop};
    if (settings.kind == primitive::semaphore) {
        counting_semaphore slots{fleet, settings.name, settings.limit, settings.hold};
        return slots.try_acquire_for(settings.permits, most, call);
    }
    if (settings.kind == primitive::shared_mutex) {
        shared_mutex both{fleet, settings.name, settings.hold};
        return settings.mode == mode::shared ? both.try_acquire_shared_for(most, call)
                                             : both.try_acquire_for(most, call);
    }
    mutex only{fleet, settings.name, settings.hold};
    return only.try_acquire_for(most, call);
}

} // namespace

std::optional<lease> get_lock(client& fleet, const run_settings& settings,
                              std::optional<milliseconds> wait, const std::stop_token& stop) {
    const bool chatty = settings.loud == loudness::verbose;
    narrator holders{settings, chatty && wait != milliseconds{0}};
    auto got = ask(fleet, settings, wait.value_or(milliseconds::max() / 2), stop);
    const bool busy = !got && !stop.stop_requested();
    if (busy && chatty && !holders.has_told()) { holders.tell_now(fleet); }
    return got;
}

void give_back(lease& held) {
    const auto name = held.name();
    try {
        held.release();
    } catch (const error& problem) { tell(not_released(name, problem)); }
}

} // namespace holdfast::cli
