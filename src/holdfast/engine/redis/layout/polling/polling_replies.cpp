#include "holdfast/engine/redis/layout/polling/polling_replies.hpp"

#include "holdfast/engine/redis/fields.hpp"
#include "holdfast/engine/redis/layout/lock_replies.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace holdfast::engine::redis {

namespace {

/// The remaining time of a hold without expiry: it can be added to the clock without overflow.
constexpr std::chrono::hours a_century{24 * 36'525};

primitive kind_from(std::string_view letter) noexcept {
    if (letter.starts_with(fields::kind_shared_mutex)) { return primitive::shared_mutex; }
    return letter.starts_with(fields::kind_semaphore) ? primitive::semaphore : primitive::mutex;
}

mode mode_from(std::string_view letter) noexcept {
    if (letter.starts_with(fields::mode_shared)) { return mode::shared; }
    return letter.starts_with(fields::mode_permits) ? mode::permits : mode::exclusive;
}

} // namespace

answer read_polling_acquire(const reply& reply, std::int64_t& pttl) {
    answer out;
    pttl = -1;
    if (reply.is_integer()) {
        out.status = op_status::granted;
        out.token = static_cast<std::uint64_t>(reply.integer());
        return out;
    }
    if (reply.number(0) == fields::answer_no_tokens) { return no_tokens_left(); }
    if (reply.number(0) == fields::answer_too_few) { return too_many_permits(reply.number(1)); }
    out.status = op_status::busy;
    if (reply.number(0) == fields::answer_held) { pttl = reply.number(1); }
    return out;
}

lock_info read_polling_inspect(const reply& reply, std::string name) {
    lock_info out;
    out.name = std::move(name);
    out.last_token = static_cast<std::uint64_t>(reply.number(1));
    out.kind = kind_from(reply.word(2));
    // Of a semaphore all permits may be out that the server does not know.
    const std::int64_t least = out.kind == primitive::semaphore ? 0 : 1;
    out.limit = static_cast<unsigned>(std::max(reply.number(3), least));
    const auto holders = reply[4];
    for (std::size_t at = 0; at < holders.size(); ++at) {
        const auto entry = holders[at];
        party& holder = out.holders.emplace_back();
        holder.owner = entry.word(0);
        holder.token = static_cast<std::uint64_t>(entry.number(3));
        holder.permits = static_cast<unsigned>(entry.number(2));
        holder.mode = mode_from(entry.word(4));
        if (entry.number(1) >= 0) {
            holder.remaining = base::milliseconds{entry.number(1)};
        } else {
            holder.remaining = a_century;
            holder.note = "it has no expiry: it does not end by itself";
        }
    }
    const auto waiters = reply[5];
    for (std::size_t at = 0; at < waiters.size(); ++at) {
        const auto entry = waiters[at];
        party& waiter = out.waiters.emplace_back();
        waiter.owner = entry.word(0);
        waiter.remaining = base::milliseconds{entry.number(1)};
    }
    return out;
}

} // namespace holdfast::engine::redis
