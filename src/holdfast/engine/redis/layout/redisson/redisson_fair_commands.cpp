#include "holdfast/engine/redis/layout/redisson/redisson_fair_commands.hpp"

#include "holdfast/engine/redis/protocol/command.hpp"

namespace holdfast::engine::redis {

redisson_fair_commands::redisson_fair_commands(const options& options,
                                               const client_identity& identity)
    : redisson_commands{{&scripts::redisson_fair_acquire, &scripts::redisson_fair_release,
                         beat_script(options), &scripts::redisson_fair_break,
                         &scripts::redisson_fair_inspect},
                        options,
                        identity,
                        {}} {}

capabilities redisson_fair_commands::caps(primitive kind, bool fenced) const {
    auto can = redisson_commands::caps(kind, fenced);
    can.supported = kind == primitive::mutex;
    can.fencing = false;
    can.sees_waiters = true;
    can.latches = false;
    can.why_no_cells = why_no_cells;
    can.why_unsupported = "has mutexes only; use layout redisson or native for other locks";
    can.why_no_fencing = "has no fencing tokens; use layout redisson with fencing for those";
    can.layout = holdfast::layout::redisson_fair;
    can.label = "layout redisson_fair";
    return can;
}

const lock_format& redisson_fair_commands::format() const noexcept {
    static constexpr lock_format own{holdfast::layout::redisson_fair, {}};
    return own;
}

std::string redisson_fair_commands::channel(const ticket& ticket, primitive kind) const {
    return redisson_commands::channel(ticket, kind) + ':' + ticket.owner.text();
}

void redisson_fair_commands::acquire(std::string& out, const ticket& ticket,
                                     const acquire_terms& terms, std::int64_t not_after_us) {
    append_acquire(out, *scripts_.acquire, ticket, terms, not_after_us, 1);
    append_bulk(out, terms.waits ? "1" : "0");
}

} // namespace holdfast::engine::redis
