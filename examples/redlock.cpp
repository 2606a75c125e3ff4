// A quorum: a lock is held if most of its nodes have voted for it. Here the nodes are three stores
// in memory, so that the example needs no servers; redlock://host1,host2,host3 uses three of Redis.

#include <holdfast/holdfast.hpp>

#include <chrono>
#include <iostream>
#include <mutex>

using namespace std::chrono_literals;

int main() {
    // [doc: redlock]
    // With servers: redlock://locks1.example,locks2.example,locks3.example
    holdfast::client fleet{"quorum:?node=memory:a&node=memory:b&node=memory:c"};
    holdfast::mutex stock{fleet, "stock:1001", {.lease = 10s}};
    auto first = stock.acquire({.note = "shop 1"}); // two of three nodes have voted
    std::cout << "valid for more than 9 s: " << (first.remaining() > 9s ? "yes" : "no") << '\n';
    const auto token = first.token(); // the database refuses writes with a lower one
    first.release();
    // [end]

    // Somebody else has the name on one node, then on two.
    holdfast::client a{"memory:a"};
    holdfast::client b{"memory:b"};
    holdfast::mutex on_a{a, "stock:1001"};
    holdfast::mutex on_b{b, "stock:1001"};
    const std::scoped_lock taken{on_a};
    auto second = stock.try_acquire();
    std::cout << "one of three nodes is taken: " << (second ? "acquired" : "busy") << '\n';
    std::cout << "the token rose: " << (second && second->token() > token ? "yes" : "no") << '\n';
    if (second) { second->release(); }
    const std::scoped_lock also_taken{on_b};
    std::cout << "two of three nodes are taken: " << (stock.try_acquire() ? "acquired" : "busy")
              << '\n';
}
