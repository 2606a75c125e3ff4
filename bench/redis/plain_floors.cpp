#include "redis/plain_floors.hpp"

#include "holdfast/base/ids.hpp"
#include "holdfast/engine/redis/scripts.hpp"
#include "redis/floors.hpp"

#include <array>
#include <stdexcept>

namespace holdfast::bench::redis {

namespace {

const auto& releasing = engine::redis::scripts::plain_release;

void expect_taken(const ::redisReply& answer) {
    if (answer.type != REDIS_REPLY_NIL) { throw std::runtime_error{"SET NX found it taken"}; }
}

} // namespace

plain_calls::plain_calls(const std::string& name)
    : name_{name}, client_{base::client_id::make().text() + ':'} {
    renumber();
}

void plain_calls::renumber() { owner_ = client_ + std::to_string(++number_); }

void plain_calls::acquire(wire& to) const {
    const std::array<std::string_view, 7> words{"SET", name_, owner_, "NX", "PX", "30000", "GET"};
    to.append(words);
}

void plain_calls::release(wire& to) const {
    const std::array<std::string_view, 5> words{"EVALSHA", releasing.sha, "1", name_, owner_};
    to.append(words);
}

plain_commands::plain_commands(std::uint16_t port, const std::string& name)
    : to_{port}, calls_{name} {
    to_.load(releasing.text);
}

void plain_commands::cycle() {
    calls_.renumber();
    calls_.acquire(to_);
    expect_taken(*to_.next());
    calls_.release(to_);
    expect_released(*to_.next());
}

plain_pipeline::plain_pipeline(std::uint16_t port, std::size_t depth) : to_{port} {
    to_.load(releasing.text);
    for (std::size_t i = 0; i < depth; ++i) {
        slots_.push_back({plain_calls{"plain:pipeline:" + std::to_string(i)}, false});
        send_next(slots_.back());
    }
}

void plain_pipeline::send_next(slot& entry) {
    if (entry.held) { return entry.calls.release(to_); }
    entry.calls.renumber();
    entry.calls.acquire(to_);
}

void plain_pipeline::step() {
    slot& entry = slots_[at_];
    const auto answer = to_.next();
    entry.held ? expect_released(*answer) : expect_taken(*answer);
    entry.held = !entry.held;
    send_next(entry);
    at_ = (at_ + 1) % slots_.size();
}

} // namespace holdfast::bench::redis
