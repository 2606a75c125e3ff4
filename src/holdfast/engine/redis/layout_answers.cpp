// What the scripts of the native layout answer.

#include "holdfast/engine/admission/request.hpp"
#include "holdfast/engine/redis/failure.hpp"
#include "holdfast/engine/redis/layout.hpp"

#include <holdfast/error.hpp>
#include <holdfast/options.hpp>

#include <charconv>
#include <utility>

namespace holdfast::engine::redis {

namespace {

/// The first number of an answer that is not a plain token; see scripts/acquire.lua.
enum class verdict : std::int64_t {
    queued = 1,
    busy = 2,
    late = 3,
    other_kind = 4,
    other_limit = 5,
    too_many = 6,
    no_tokens = 7,
    of_both = 9,
};

/// What exchange.lua adds to a place in the queue if it has handed off what was held.
constexpr std::int64_t handed_off_too = 1'000'000;

answer say(op_status status) {
    answer out;
    out.status = status;
    return out;
}

answer strange() {
    return admission::refuse(errc::internal, "an answer that this version does not know");
}

primitive kind_of(std::string_view letter) noexcept {
    if (letter == "s") { return primitive::shared_mutex; }
    return letter == "p" ? primitive::semaphore : primitive::mutex;
}

std::chrono::microseconds us(std::int64_t count) noexcept {
    return std::chrono::microseconds{count};
}

std::uint64_t unsigned_of(std::int64_t value) noexcept { return static_cast<std::uint64_t>(value); }

unsigned digits(std::string_view text) noexcept {
    unsigned value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// What the client wrote of itself; see scripts/state.lua.
void read_terms(std::string_view terms, party& out) {
    constexpr std::size_t fixed = 33;
    if (terms.size() < fixed) { return; }
    out.mode = terms[1] == 's' ? mode::shared : terms[1] == 'p' ? mode::permits : mode::exclusive;
    out.permits = digits(terms.substr(3, 5));
    terms.remove_prefix(fixed);
    const auto pid_end = std::min(terms.find('\n'), terms.size());
    std::from_chars(terms.data(), terms.data() + pid_end, out.pid);
    terms.remove_prefix(std::min(pid_end + 1, terms.size()));
    const auto host_end = std::min(terms.find('\n'), terms.size());
    out.host = terms.substr(0, host_end);
    out.note = terms.substr(std::min(host_end + 1, terms.size()));
}

party read_party(const reply& reply, std::size_t since, std::size_t terms) {
    party out;
    if (const auto owner = read_owner(reply.word(0))) { out.owner = owner->text(); }
    out.since = std::chrono::system_clock::time_point{us(reply.number(since))};
    read_terms(reply.word(terms), out);
    return out;
}

base::milliseconds left(std::int64_t until, std::int64_t now) {
    return std::chrono::duration_cast<base::milliseconds>(us(until - now));
}

} // namespace

answer read_acquire(const reply& reply) {
    if (reply.is_integer() && reply.integer() < 0) {
        answer out = say(op_status::queued);
        out.ahead = static_cast<unsigned>(-reply.integer() % handed_off_too);
        return out;
    }
    if (reply.is_integer()) {
        answer out = say(op_status::granted);
        out.token = unsigned_of(reply.integer());
        return out;
    }
    switch (static_cast<verdict>(reply.number(0))) {
    case verdict::queued: {
        answer out = say(op_status::queued);
        out.ahead = static_cast<unsigned>(reply.number(1));
        out.check_in = us(reply.number(2));
        return out;
    }
    case verdict::busy: {
        answer out = say(op_status::busy);
        out.token = unsigned_of(reply.number(1));
        return out;
    }
    case verdict::late: return say(op_status::busy);
    case verdict::other_kind:
        return admission::refuse(errc::wrong_primitive,
                                 std::string{"the name is in use as a "} +
                                     admission::word(kind_of(reply.word(1))));
    case verdict::other_limit:
        return admission::refuse(errc::wrong_limit, "the semaphore is in use with limit " +
                                                        std::to_string(reply.number(1)));
    case verdict::too_many:
        return admission::refuse(errc::limit_reached,
                                 std::to_string(reply.number(1)) + " wait for this name already");
    case verdict::of_both: break;
    case verdict::no_tokens:
        return admission::refuse(
            errc::internal, "the next token would not be below 2^53: is the server's clock right?");
    }
    return strange();
}

std::int64_t late_since(const reply& reply) {
    return static_cast<verdict>(reply.number(0)) == verdict::late ? reply.number(1) : 0;
}

answer read_release(const reply& reply) {
    if (!reply.is_integer()) { return strange(); }
    switch (reply.integer()) {
    case 0: return say(op_status::not_held);
    case 1: return say(op_status::released);
    case 2: return say(op_status::handed_off);
    default: return strange();
    }
}

bool is_of_both(const reply& reply) {
    return reply.size() == 3 && static_cast<verdict>(reply.number(0)) == verdict::of_both;
}

answer read_exchanged(const reply& reply) {
    if (is_of_both(reply)) { return read_release(reply[1]); }
    return say(reply.integer() <= -handed_off_too ? op_status::handed_off : op_status::released);
}

answer read_withdraw(const reply& reply) {
    if (!reply.is_integer()) { return strange(); }
    return say(reply.integer() == 0 ? op_status::not_held : op_status::released);
}

beat_answer read_beat(const reply& reply, const std::string& server) {
    beat_answer out;
    if (reply.is_integer()) {
        out.status = reply.integer() == 1 ? op_status::renewed : op_status::lost;
    } else if (reply.is_array() && reply.number(0) == 0) {
        out.status = op_status::granted;
        out.token = unsigned_of(reply.number(1));
    } else if (reply.is_array()) {
        out.status = op_status::queued;
        out.ahead = static_cast<unsigned>(reply.number(1));
        out.check_in = us(reply.number(2));
    } else {
        auto text = reply.text();
        if (text.starts_with('-')) { text.remove_prefix(1); }
        auto why = explain(text, server);
        out.status = op_status::failed;
        out.error = why.code;
        out.detail = std::move(why.detail);
    }
    return out;
}

lock_info read_inspect(const reply& reply, std::string name) {
    lock_info out;
    out.name = std::move(name);
    const auto now = reply.number(0);
    out.last_token = unsigned_of(reply.number(1));
    out.kind = kind_of(reply.word(2));
    out.limit = static_cast<unsigned>(reply.number(3));
    if (reply.size() < 6) { return out; }
    const auto holders = reply[4];
    for (std::size_t at = 0; at < holders.size(); ++at) {
        const auto entry = holders[at];
        party& holder = out.holders.emplace_back(read_party(entry, 4, 5));
        holder.token = unsigned_of(entry.number(1));
        holder.resting = entry.number(2) <= now;
        holder.remaining = left(entry.number(holder.resting ? 3 : 2), now);
    }
    const auto waiters = reply[5];
    for (std::size_t at = 0; at < waiters.size(); ++at) {
        out.waiters.emplace_back(read_party(waiters[at], 2, 3)).remaining =
            left(waiters[at].number(1), now);
    }
    return out;
}

notice read_message(std::string_view payload) {
    constexpr std::size_t number_end = 17;
    constexpr std::size_t token_end = number_end + 16;
    notice out;
    out.type = notice::kind::inbox_reset;
    const bool has_token = payload.size() == token_end;
    if (payload.size() != number_end && !has_token) { return out; }
    const auto read = [payload](std::size_t from, auto& value, int base) {
        const auto* const end = payload.data() + from + 16;
        const auto [stop, failure] = std::from_chars(payload.data() + from, end, value, base);
        return failure == std::errc{} && stop == end;
    };
    if (!read(1, out.number, 16)) { return out; }
    if (has_token && !read(number_end, out.token, 10)) { return out; }
    switch (payload.front()) {
    case 'g':
        if (out.token > 0) { out.type = notice::kind::granted; }
        break;
    case 'm': out.type = notice::kind::maybe_free; break;
    case 'b':
        if (out.token > 0 || !has_token) { out.type = notice::kind::broken; }
        break;
    default: break;
    }
    return out;
}

} // namespace holdfast::engine::redis
