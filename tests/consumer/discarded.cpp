// Each marked line drops an answer that must not be dropped: run.sh checks that the compiler warns
// of all of them, and of no other line.
#include <holdfast/holdfast.hpp>

#include <chrono>
#include <system_error>

using namespace std::chrono_literals;

template <class Lock>
void drop_answers_of(Lock& lock, std::error_code& failure) {
    lock.acquire();                                                    // dropped
    lock.acquire({.note = "x"});                                       // dropped
    lock.acquire(failure);                                             // dropped
    lock.try_acquire();                                                // dropped
    lock.try_acquire_for(1s);                                          // dropped
    lock.try_acquire_until(std::chrono::system_clock::now(), failure); // dropped
}

void drop_answers(holdfast::client& fleet, std::error_code& failure) {
    holdfast::mutex stock{fleet, "stock"};
    drop_answers_of(stock, failure);
    stock.try_lock();                // dropped
    stock.try_lock_for(1s, failure); // dropped
    stock.valid();                   // dropped
    stock.lock(failure);             // its error code says the same
    stock.unlock();

    holdfast::shared_mutex prices{fleet, "prices"};
    prices.try_lock_shared(); // dropped
    prices.acquire_shared();  // dropped

    holdfast::counting_semaphore slots{fleet, "slots", 2};
    slots.acquire(2);             // dropped
    slots.try_acquire_for(2, 1s); // dropped

    auto lease = stock.acquire();
    lease.token(); // dropped
    lease.valid(); // dropped
    lease.lost();  // dropped
    lease.release();
    fleet.ping();

    holdfast::fence guard;
    guard.admit(1); // dropped
    const holdfast::admin operators{fleet};
    operators.inspect("stock");            // dropped
    operators.renew("stock", "owner", 1s); // dropped
    operators.break_lock("stock");
}
