#include "holdfast/engine/redis/layout/native/native_replies.hpp"

#include "holdfast/engine/admission/request_validation.hpp"
#include "holdfast/engine/misuse_texts.hpp"
#include "holdfast/engine/redis/fields.hpp"
#include "holdfast/engine/redis/layout/lock_replies.hpp"
#include "holdfast/engine/redis/layout/native/lock_terms.hpp"
#include "holdfast/engine/redis/protocol/wire_text.hpp"
#include "holdfast/engine/stored_time.hpp"

#include <holdfast/error.hpp>
#include <holdfast/options.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace holdfast::engine::redis {

namespace {

std::chrono::microseconds us(std::int64_t count) noexcept {
    return std::chrono::microseconds{count};
}

primitive kind_at(const reply& reply, std::size_t at) noexcept {
    const auto letter = reply.word(at);
    return letter.empty() ? primitive::mutex : read_kind(letter.front());
}

base::milliseconds left(std::int64_t until, std::int64_t now) {
    return std::chrono::duration_cast<base::milliseconds>(us(until - now));
}

party read_party(const reply& entry, std::size_t since, std::size_t terms, std::int64_t now) {
    party out;
    if (const auto owner = read_owner(entry.word(0))) { out.owner = owner->text(); }
    out.since = std::chrono::system_clock::time_point{stored_time(entry.number(since))};
    out.age = stored_age(entry.number(since), now);
    read_terms(entry.word(terms), out);
    return out;
}

answer read_verdict(const reply& reply, const std::string& server) {
    answer out;
    switch (reply.number(0)) {
    case fields::answer_queued:
        out.status = op_status::queued;
        out.ahead = static_cast<unsigned>(reply.number(1));
        out.check_in = us(reply.number(2));
        return out;
    case fields::answer_busy:
        out.status = op_status::busy;
        out.token = static_cast<std::uint64_t>(reply.number(1));
        return out;
    case fields::answer_ended:
        out.status = op_status::busy;
        out.ticket_ended = true;
        return out;
    case fields::answer_late: out.status = op_status::busy; return out;
    case fields::answer_other_kind:
        return admission::failed_answer(errc::wrong_primitive, other_kind_text(kind_at(reply, 1)));
    case fields::answer_other_limit:
        return admission::failed_answer(errc::wrong_limit, other_limit_text(reply.number(1)));
    case fields::answer_too_few: return too_many_permits(reply.number(1));
    case fields::answer_too_many:
        return admission::failed_answer(errc::limit_reached, std::to_string(reply.number(1)) +
                                                                 " wait for this name already");
    case fields::answer_no_tokens: return no_tokens_left();
    case fields::answer_not_joined: out.status = op_status::not_joined; return out;
    case fields::answer_too_high:
        return admission::failed_answer(
            errc::invalid_option, "the proposed token is more than 30 s ahead of the clock of "
                                  "Redis at " +
                                      server + "; set the clocks");
    case fields::answer_stale: {
        auto stale = admission::failed_answer(errc::unavailable, stale_text(server));
        stale.retry_now = true;
        return stale;
    }
    case fields::answer_grace:
        return admission::failed_answer(
            errc::unavailable, "Redis at " + server +
                                   ": after lost data or a failover it grants nothing new for " +
                                   std::to_string(reply.number(1) / 1000) + " ms more (max_lease)");
    default: return unknown_reply();
    }
}

} // namespace

answer read_acquire(const reply& reply, const std::string& server) {
    if (!reply.is_integer()) { return read_verdict(reply, server); }
    answer out;
    if (reply.integer() < 0) {
        out.status = op_status::queued;
        out.ahead = static_cast<unsigned>(-reply.integer() % fields::handed_off_too);
    } else {
        out.status = op_status::granted;
        out.token = static_cast<std::uint64_t>(reply.integer());
    }
    return out;
}

bool is_double_reply(const reply& reply) {
    return reply.size() == 3 && reply.number(0) == fields::answer_both;
}

answer read_exchanged(const reply& reply) {
    if (is_double_reply(reply)) { return read_release(reply[1]); }
    answer out;
    const bool handed_off = reply.integer() <= -fields::handed_off_too;
    out.status = handed_off ? op_status::handed_off : op_status::released;
    return out;
}

lock_info read_inspect(const reply& reply, std::string name) {
    lock_info out;
    out.name = std::move(name);
    const auto now = reply.number(0);
    out.last_token = static_cast<std::uint64_t>(reply.number(1));
    out.kind = kind_at(reply, 2);
    out.resized = reply.number(3) < 0; // see inspect.lua
    out.limit = static_cast<unsigned>(out.resized ? -reply.number(3) : reply.number(3));
    if (out.resized) { out.kind = primitive::semaphore; }
    const auto holders = reply[4];
    for (std::size_t at = 0; at < holders.size(); ++at) {
        const auto entry = holders[at];
        party& holder = out.holders.emplace_back(read_party(entry, 4, 5, now));
        holder.token = static_cast<std::uint64_t>(entry.number(1));
        holder.resting = entry.number(2) <= now;
        holder.remaining = left(entry.number(holder.resting ? 3 : 2), now);
    }
    const auto waiters = reply[5];
    for (std::size_t at = 0; at < waiters.size(); ++at) {
        out.waiters.emplace_back(read_party(waiters[at], 2, 3, now)).remaining =
            left(waiters[at].number(1), now);
    }
    return out;
}

} // namespace holdfast::engine::redis
