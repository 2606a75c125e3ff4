#pragma once
// Uses each operation of a client once, to check that the server permits it.

#include "fault/redis_fixture.hpp"

#include <stdexcept>

namespace holdfast::test {

inline void demand(bool good, const char* message) {
    if (!good) { throw std::runtime_error{message}; }
}

/// Takes a lock, lets another client wait for it, and hands it off.
inline void hand_over(client& here, client& there, const std::string& name = "stock") {
    auto held = mutex{here, name}.acquire();
    auto waiting = wait_for(there, {}, name);
    demand(eventually([&] {
               const auto seen = admin{here}.inspect(name);
               return waiting.done() || (seen && seen->waiters.size() == 1);
           }),
           "nobody waits");
    if (waiting.done()) { (void)waiting.get(); } // it could not
    const auto token = held.token();
    demand(held.release() == release_answer::released, "it was not held");
    auto got = waiting.get();
    demand(got.token() > token, "not the next token");
    got.release();
}

/// The same with two clients of a URL; throws what fails.
inline void hand_over(const std::string& url) {
    client here{url};
    client there{url};
    hand_over(here, there);
}

inline void use_shared_mutex(client& here, client& there) {
    shared_mutex page{here, "page"};
    auto reader = page.acquire_shared();
    const auto other = shared_mutex{there, "page"}.acquire_shared();
    demand(!shared_mutex{there, "page"}.try_acquire_for(20ms), "a writer beside readers");
    reader.release();
    demand(admin{here}.break_lock("page"), "nobody read");
    demand(page.try_acquire().has_value(), "it was not broken");
}

inline void use_semaphore(client& here, client& there) {
    counting_semaphore slots{here, "slots", 3};
    auto some = slots.acquire(2, {.min_hold = 1ms});
    demand(!counting_semaphore{there, "slots", 3}.try_acquire(2).has_value(), "four of three");
    demand(admin{here}.renew("slots", some.owner(), 10s), "it was not renewed");
    some.release();
}

/// Throws the first failure.
inline void use_everything(const std::string& url) {
    const client_options options{.connect_wait = scaled(400ms)};
    client here{url, options};
    client there{url, options};
    const admin desk{here};
    here.ping();
    mutex stock{here, "stock"};
    auto held = stock.acquire();
    demand(desk.renew("stock", held.owner(), 20s), "it was not renewed");
    demand(!mutex{there, "stock"}.try_acquire_for(20ms), "two holders");
    held.release();
    hand_over(here, there);
    held = stock.acquire();
    demand(desk.break_lock("stock"), "nobody held it");
    use_shared_mutex(here, there);
    use_semaphore(here, there);
    held = stock.acquire();
    demand(!desk.list().locks.empty(), "nothing is listed");
}

} // namespace holdfast::test
