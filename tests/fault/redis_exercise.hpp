#pragma once
// Uses everything that a client can do with a server once, to see that it may.

#include "fault/redis_fixture.hpp"

#include <stdexcept>

namespace holdfast::test {

inline void demand(bool good, const char* what) {
    if (!good) { throw std::runtime_error{what}; }
}

/// Takes a lock, lets another client wait for it, and hands it over.
inline void hand_over(client& one, client& two, const std::string& name = "stock") {
    auto held = mutex{one, name}.acquire();
    auto waiting = wait_for(two, {}, name);
    demand(eventually([&] {
               const auto seen = admin{one}.inspect(name);
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

/// The same through two clients of a URL; throws what goes wrong.
inline void hand_over(const std::string& url) {
    client one{url};
    client two{url};
    hand_over(one, two);
}

inline void use_shared_mutex(client& one, client& two) {
    shared_mutex page{one, "page"};
    auto reader = page.acquire_shared();
    const auto other = shared_mutex{two, "page"}.acquire_shared();
    demand(!shared_mutex{two, "page"}.try_acquire_for(20ms), "a writer beside readers");
    reader.release();
    demand(admin{one}.break_lock("page"), "nobody read");
    demand(page.try_acquire().has_value(), "it was not broken");
}

inline void use_semaphore(client& one, client& two) {
    counting_semaphore slots{one, "slots", 3};
    auto some = slots.acquire(2, {.min_hold = 1ms});
    demand(!counting_semaphore{two, "slots", 3}.try_acquire(2).has_value(), "four of three");
    demand(admin{one}.renew("slots", some.owner(), 10s), "it was not renewed");
    some.release();
}

/// Throws what goes wrong, at the first thing that does.
inline void use_everything(const std::string& url) {
    const client_options how{.connect_wait = scaled(400ms)};
    client one{url, how};
    client two{url, how};
    const admin desk{one};
    one.ping();
    mutex stock{one, "stock"};
    auto held = stock.acquire();
    demand(desk.renew("stock", held.owner(), 20s), "it was not renewed");
    demand(!mutex{two, "stock"}.try_acquire_for(20ms), "two holders");
    held.release();
    hand_over(one, two);
    held = stock.acquire();
    demand(desk.break_lock("stock"), "nobody held it");
    use_shared_mutex(one, two);
    use_semaphore(one, two);
    held = stock.acquire();
    demand(!desk.list().locks.empty(), "nothing is listed");
}

} // namespace holdfast::test
