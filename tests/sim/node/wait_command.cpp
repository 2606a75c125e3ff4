// WAIT of a simulated server: it blocks its session until enough replicas have acknowledged.

#include "sim/node/resp_writer.hpp"
#include "sim/node/sim_redis.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::sim {

/// Counts the replicas that have all data up to this session's last command, whether that command
/// has changed any or not.
void sim_redis::wait(session_state& session, reply_sink& out) {
    constexpr std::int64_t us_per_ms = 1000;
    if (words_.size() != 3) { return out.error(syntax_error); }
    if (replication_.is_replica()) {
        return out.error("ERR WAIT cannot be used with replica instances.");
    }
    const pending_wait asked{to_integer(words_[1]).value_or(0), session.offset,
                             clock_us_ + to_integer(words_[2]).value_or(0) * us_per_ms};
    const auto count = replication_.count(asked.offset);
    if (count >= asked.replicas) { return out.integer(count); }
    session.wait = asked;
}

bool sim_redis::is_over(const pending_wait& wait) const noexcept {
    return clock_us_ >= wait.deadline_us || replication_.count(wait.offset) >= wait.replicas;
}

std::optional<sim_redis::session_id> sim_redis::resume_one() {
    for (auto& [id, each] : sessions_) {
        if (!each.wait || !is_over(*each.wait)) { continue; }
        resp_writer out{each.output, each.resp3};
        out.integer(replication_.count(std::exchange(each.wait, {})->offset));
        const auto rest = std::exchange(each.unread, {});
        run_all(each, rest);
        return id;
    }
    return std::nullopt;
}

std::optional<std::int64_t> sim_redis::wait_due() const {
    std::optional<std::int64_t> first;
    for (const auto& [id, each] : sessions_) {
        if (!each.wait) { continue; }
        first = first ? std::min(*first, each.wait->deadline_us) : each.wait->deadline_us;
    }
    return first;
}

void sim_redis::become_replica() {
    replication_.become_replica();
    for (auto& [id, each] : sessions_) {
        if (!std::exchange(each.wait, {})) { continue; }
        resp_writer out{each.output, each.resp3};
        out.error("UNBLOCKED force unblock from blocking operation, instance state changed "
                  "(master -> replica?)");
        each.ended = true;
        each.unread.clear();
    }
}

} // namespace holdfast::sim
