#include "harness/server_faults.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

namespace holdfast::test {

namespace {

/// In docs/redis.md; `{` begins what depends on the lock or the node.
constexpr std::array<std::string_view, 7> documented_keys{
    "hf:{", "hf:mark", "hf:mark:{", "hf:run", "hf:node", "hf:ack", "hf:ack:{"};

} // namespace

std::vector<fault_kind> server_fault_kinds() {
    return {fault_kind::server_kill,     fault_kind::server_stop,   fault_kind::net_delay,
            fault_kind::net_cut,         fault_kind::net_half_open, fault_kind::dropped_answers,
            fault_kind::late_duplicates, fault_kind::data_loss,     fault_kind::clock_step,
            fault_kind::store_full};
}

milliseconds some_time(std::minstd_rand& random) {
    return milliseconds{200 + static_cast<int>(random() % 800)};
}

bool is_network_fault(fault_kind kind) {
    return kind >= fault_kind::net_delay && kind <= fault_kind::late_duplicates;
}

void disturb(proxy& between, fault_kind kind, std::minstd_rand& random) {
    const auto length = some_time(random);
    switch (kind) {
    case fault_kind::net_delay: between.delay(length / 5, length / 5); break;
    case fault_kind::net_cut: between.cut(); break;
    case fault_kind::net_half_open: between.half_open(); break;
    case fault_kind::dropped_answers: between.drop_answers({.with = "hf:", .times = 10}); break;
    case fault_kind::late_duplicates:
        between.deliver_late({.seed = static_cast<unsigned>(random()),
                              .one_delayed_in = 40,
                              .one_repeated_in = 5,
                              .least = 10ms,
                              .most = 1s});
        break;
    default: throw std::logic_error{"not a fault of the network"};
    }
    std::this_thread::sleep_for(length);
    between.heal();
    between.release();
}

void harm(redis_server& server, fault_kind kind, milliseconds length,
          std::chrono::seconds clock_offset) {
    switch (kind) {
    case fault_kind::server_kill:
        server.kill();
        std::this_thread::sleep_for(length / 2);
        server.restart();
        return;
    case fault_kind::server_stop:
        server.pause();
        std::this_thread::sleep_for(length * 2);
        server.resume();
        return;
    case fault_kind::data_loss: server.flush_all(); return;
    case fault_kind::clock_step:
        server.set_clock(clock_offset + clock_step);
        std::this_thread::sleep_for(length);
        server.set_clock(clock_offset);
        return;
    case fault_kind::store_full:
        server.command({"CONFIG", "SET", "maxmemory", "1"});
        std::this_thread::sleep_for(length);
        server.command({"CONFIG", "SET", "maxmemory", "0"});
        return;
    default: throw std::logic_error{"this fault does not apply to a server"};
    }
}

std::string undocumented_keys(redis_server& server) {
    std::string out;
    const auto keys = server.command({"KEYS", "*"});
    for (const auto& key : keys.items()) {
        const auto name = key.string();
        if (std::ranges::none_of(documented_keys, [&](std::string_view documented) {
                return documented.ends_with('{') ? name.starts_with(documented)
                                                 : name == documented;
            })) {
            out += name + '\n';
        }
    }
    return out;
}

} // namespace holdfast::test
