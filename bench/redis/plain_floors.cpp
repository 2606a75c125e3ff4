#include "redis/plain_floors.hpp"

#include "holdfast/base/ids.hpp"
#include "holdfast/engine/redis/scripts.hpp"
#include "redis/floors.hpp"

#include <array>
#include <stdexcept>

namespace holdfast::bench::redis {

namespace {

const auto& release_script = engine::redis::scripts::plain_release;

} // namespace

void load_plain_scripts(hiredis_connection& connection) { connection.load(release_script.text); }

void expect_taken(const ::redisReply& answer) {
    if (answer.type != REDIS_REPLY_NIL) { throw std::runtime_error{"SET NX found it taken"}; }
}

plain_calls::plain_calls(const std::string& name)
    : name_{name}, client_{base::client_id::make().text() + ':'} {
    renumber();
}

void plain_calls::renumber() { owner_ = client_ + std::to_string(++number_); }

void plain_calls::acquire(hiredis_connection& connection) const {
    const std::array<std::string_view, 7> words{"SET", name_, owner_, "NX", "PX", "30000", "GET"};
    connection.append(words);
}

void plain_calls::release(hiredis_connection& connection) const {
    const std::array<std::string_view, 5> words{"EVALSHA", release_script.sha, "1", name_, owner_};
    connection.append(words);
}

plain_command_lock::plain_command_lock(std::uint16_t port, const std::string& name)
    : connection_{port}, calls_{name} {
    load_plain_scripts(connection_);
}

void plain_command_lock::cycle() {
    calls_.renumber();
    calls_.acquire(connection_);
    expect_taken(*connection_.next());
    calls_.release(connection_);
    expect_released(*connection_.next());
}

plain_pipeline::plain_pipeline(std::uint16_t port, std::size_t depth) : connection_{port} {
    load_plain_scripts(connection_);
    for (std::size_t i = 0; i < depth; ++i) {
        slots_.push_back({plain_calls{"plain:pipeline:" + std::to_string(i)}, false});
        send_next(slots_.back());
    }
}

void plain_pipeline::send_next(slot& entry) {
    if (entry.held) { return entry.calls.release(connection_); }
    entry.calls.renumber();
    entry.calls.acquire(connection_);
}

void plain_pipeline::step() {
    slot& entry = slots_[at_];
    const auto answer = connection_.next();
    entry.held ? expect_released(*answer) : expect_taken(*answer);
    entry.held = !entry.held;
    send_next(entry);
    at_ = (at_ + 1) % slots_.size();
}

} // namespace holdfast::bench::redis
