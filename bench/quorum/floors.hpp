#pragma once
// The floors for locks on a quorum: hiredis alone, with the bytes that Holdfast sends.

#include "quorum/server_set.hpp"
#include "redis/floors.hpp"
#include "redis/plain_floors.hpp"

#include <array>
#include <string>

namespace holdfast::bench::quorum {

/// The requests of the native layout.
class native_requests {
public:
    explicit native_requests(const std::string& name) : calls_{name, redis::call_kind::vote} {}

    static void prepare(redis::hiredis_connection& connection) { redis::load_scripts(connection); }
    void renumber() { calls_.renumber(); }
    void acquire(redis::hiredis_connection& to) const { to.append(calls_.acquire()); }
    void release(redis::hiredis_connection& to) const { to.append(calls_.release()); }
    static void check_acquired(const ::redisReply& reply) { redis::expect_granted(reply); }

private:
    redis::script_calls calls_;
};

/// The requests of the plain layout.
class plain_requests {
public:
    explicit plain_requests(const std::string& name) : calls_{name} {}

    static void prepare(redis::hiredis_connection& connection) {
        redis::load_plain_scripts(connection);
    }
    void renumber() { calls_.renumber(); }
    void acquire(redis::hiredis_connection& to) const { calls_.acquire(to); }
    void release(redis::hiredis_connection& to) const { calls_.release(to); }
    static void check_acquired(const ::redisReply& reply) { redis::expect_taken(reply); }

private:
    redis::plain_calls calls_;
};

/// A cycle acquires on all nodes, then releases on all.
template <class Requests>
class floor_lock {
public:
    floor_lock(const port_list& ports, const std::string& name)
        : connections_{redis::hiredis_connection{ports[0]}, redis::hiredis_connection{ports[1]},
                       redis::hiredis_connection{ports[2]}, redis::hiredis_connection{ports[3]},
                       redis::hiredis_connection{ports[4]}},
          requests_{name} {
        for (auto& each : connections_) { Requests::prepare(each); }
    }

    /// Sends to all nodes, then reads from all.
    void cycle_at_once() {
        requests_.renumber();
        for (auto& each : connections_) {
            requests_.acquire(each);
            each.flush();
        }
        for (auto& each : connections_) { Requests::check_acquired(*each.next()); }
        for (auto& each : connections_) {
            requests_.release(each);
            each.flush();
        }
        for (auto& each : connections_) { redis::expect_released(*each.next()); }
    }

    /// Asks one node after the other.
    void cycle_one_by_one() {
        requests_.renumber();
        for (auto& each : connections_) {
            requests_.acquire(each);
            Requests::check_acquired(*each.next());
        }
        for (auto& each : connections_) {
            requests_.release(each);
            redis::expect_released(*each.next());
        }
    }

private:
    std::array<redis::hiredis_connection, node_count> connections_;
    Requests requests_;
};

} // namespace holdfast::bench::quorum
