#include "redis/floors.hpp"

#include "holdfast/engine/factory.hpp"
#include "holdfast/engine/redis/layout/native/native_commands.hpp"
#include "holdfast/engine/redis/protocol/wire_text.hpp"
#include "holdfast/engine/redis/scripts.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace holdfast::bench::redis {

namespace {

namespace native = engine::redis;

constexpr std::string_view compare_and_delete =
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) "
    "else return 0 end";
constexpr std::size_t number_digits = 16;

void write_hex(char* out, std::uint64_t value) {
    constexpr std::string_view digits = "0123456789abcdef";
    for (std::size_t i = number_digits; i-- > 0; value >>= 4U) { out[i] = digits[value & 0xfU]; }
}

std::int64_t micros(std::chrono::system_clock::time_point instant) {
    return std::chrono::duration_cast<std::chrono::microseconds>(instant.time_since_epoch())
        .count();
}

/// An instant in microseconds: since 2001 it has 16 digits.
void write_decimal(char* out, std::int64_t value) {
    std::to_chars(out, out + number_digits, value);
}

/// The words of a command as it goes over the wire.
std::vector<std::string> words_of(std::string_view command) {
    std::vector<std::string> out;
    const auto take_number = [&command](char kind) {
        std::size_t value = 0;
        const auto end = command.find("\r\n");
        if (command.front() != kind || end == std::string_view::npos) {
            throw std::runtime_error{"not a command"};
        }
        std::from_chars(command.data() + 1, command.data() + end, value);
        command.remove_prefix(end + 2);
        return value;
    };
    const auto count = take_number('*');
    for (std::size_t i = 0; i < count; ++i) {
        const auto size = take_number('$');
        out.emplace_back(command.substr(0, size));
        command.remove_prefix(size + 2);
    }
    return out;
}

} // namespace

void load_scripts(hiredis_connection& connection) {
    connection.load(native::scripts::acquire.text);
    connection.load(native::scripts::release.text);
}

void expect_granted(const ::redisReply& answer) {
    if (answer.type != REDIS_REPLY_INTEGER) {
        throw std::runtime_error{"the lock was not granted"};
    }
}

void expect_released(const ::redisReply& answer) {
    if (answer.type != REDIS_REPLY_INTEGER || answer.integer != 1) {
        throw std::runtime_error{"the lock was not released"};
    }
}

plain_lock::plain_lock(std::uint16_t port, std::string name)
    : connection_{port},
      sha_{connection_.load(compare_and_delete)},
      name_{std::move(name)},
      owner_{native::wire_owner({.client = base::client_id::make(), .number = 0})} {}

void plain_lock::cycle() {
    write_hex(owner_.data() + owner_.size() - number_digits, ++number_);
    const auto set = connection_.ask({"SET", name_, owner_, "NX", "PX", "30000"});
    if (set->type != REDIS_REPLY_STATUS) { throw std::runtime_error{"SET NX found it taken"}; }
    expect_released(*connection_.ask({"EVALSHA", sha_, "1", name_, owner_}));
}

script_calls::script_calls(const std::string& name, call_kind kind) {
    const auto identity = engine::this_process();
    native::native_commands layout{"holdfast:", identity};
    engine::acquire_op ask;
    ask.ticket = {.name = name, .owner = {.client = identity.client, .number = 0}};
    ask.lease = std::chrono::seconds{30};
    ask.queue = engine::queueing::grant;
    if (kind == call_kind::vote) {
        ask.queue = engine::queueing::listen;
        ask.proposed_token = static_cast<std::uint64_t>(micros(std::chrono::system_clock::now()));
    }
    std::string acquire;
    layout.acquire(acquire, ask, {});
    std::string release;
    layout.release(release, ask.ticket, 0);
    owner_ = ask.ticket.owner;

    acquire_texts_ = words_of(acquire);
    release_texts_ = words_of(release);
    const auto owner = native::wire_owner(owner_);
    const auto point = [&](std::vector<std::string>& texts, std::vector<std::string_view>& views) {
        for (auto& text : texts) {
            if (const auto at = text.find(owner); at != std::string::npos) {
                numbers_.push_back(text.data() + at + owner.size() - number_digits);
            }
            views.emplace_back(text);
        }
    };
    point(acquire_texts_, acquire_);
    point(release_texts_, release_);
    if (numbers_.size() < 2) { throw std::runtime_error{"no owner in our own commands"}; }
    not_after_ = acquire_texts_.at(4).data(); // behind EVALSHA, SHA, the count of keys and the key
    if (kind == call_kind::vote) { proposal_ = acquire_texts_.at(5).data(); }
}

void script_calls::renumber() {
    ++owner_.number;
    for (auto* const at : numbers_) { write_hex(at, owner_.number); }
    const auto now = std::chrono::system_clock::now();
    if (proposal_ != nullptr) {
        last_proposal_ = std::max(last_proposal_ + 1, micros(now));
        write_decimal(proposal_, last_proposal_);
    }
    if (now < good_until_) { return; }
    // The scripts refuse a not_after that is more than a minute ahead.
    good_until_ = now + std::chrono::seconds{20};
    const auto until = good_until_ + std::chrono::seconds{20};
    write_decimal(not_after_, micros(until));
}

script_lock::script_lock(std::uint16_t port, const std::string& name)
    : connection_{port}, calls_{name} {
    load_scripts(connection_);
}

void script_lock::cycle() {
    calls_.renumber();
    expect_granted(*connection_.ask(calls_.acquire()));
    expect_released(*connection_.ask(calls_.release()));
}

script_pipeline::script_pipeline(std::uint16_t port, std::size_t depth) : connection_{port} {
    load_scripts(connection_);
    slots_.reserve(depth);
    for (std::size_t i = 0; i < depth; ++i) {
        slots_.push_back({script_calls{"pipeline:" + std::to_string(i)}, false});
        send_next(slots_.back());
    }
}

void script_pipeline::send_next(slot& entry) {
    if (entry.held) {
        connection_.append(entry.calls.release());
        return;
    }
    entry.calls.renumber();
    connection_.append(entry.calls.acquire());
}

void script_pipeline::step() {
    slot& entry = slots_[at_];
    const auto answer = connection_.next();
    entry.held ? expect_released(*answer) : expect_granted(*answer);
    entry.held = !entry.held;
    send_next(entry);
    at_ = (at_ + 1) % slots_.size();
}

} // namespace holdfast::bench::redis
