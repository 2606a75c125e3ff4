#include "cli/waiting.hpp"

#include "cli/messages.hpp"
#include "cli/narrator.hpp"

#include <holdfast/holdfast.hpp>

namespace holdfast::cli {

namespace {

using std::chrono::milliseconds;

std::optional<lease> ask(client& fleet, const run_settings& what, milliseconds most,
                         const std::stop_token& stop) {
    if (what.kind == primitive::semaphore) {
        counting_semaphore slots{fleet, what.name, what.limit, what.hold};
        return slots.try_acquire_for(what.permits, most, what.hold, stop);
    }
    if (what.kind == primitive::shared_mutex) {
        shared_mutex both{fleet, what.name, what.hold};
        return what.how == mode::shared ? both.try_acquire_shared_for(most, what.hold, stop)
                                        : both.try_acquire_for(most, what.hold, stop);
    }
    mutex only{fleet, what.name, what.hold};
    return only.try_acquire_for(most, what.hold, stop);
}

} // namespace

std::optional<lease> get_lock(client& fleet, const run_settings& what,
                              std::optional<milliseconds> wait, const std::stop_token& stop) {
    const bool chatty = what.loud == loudness::verbose;
    narrator holders{what, chatty && wait != milliseconds{0}};
    auto got = ask(fleet, what, wait.value_or(milliseconds::max() / 2), stop);
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
