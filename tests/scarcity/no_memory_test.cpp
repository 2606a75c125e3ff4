// Every allocation of what a client does fails once: nothing hangs, nothing is held by nobody, and
// afterwards the client works.
#include "scarcity/scarcity_fixture.hpp"
#include "support/background.hpp"
#include "support/environment.hpp"
#include "support/recording_observer.hpp"

#include <atomic>
#include <stop_token>

namespace {

using namespace holdfast::test;
using holdfast::client;
using holdfast::lease;
using holdfast::mutex;

HOLDFAST_SCARCITY(no_memory, "memory", "embedded", "redis");
HOLDFAST_SCARCITY(no_memory_in_any_layout, "memory", "embedded", "redis", "redis_plain",
                  "redis_redisson");

/// Too long to be kept in a string itself.
const std::string name = "a name that is too long for a string to keep it without memory";

TEST_P(no_memory_in_any_layout, in_the_first_cycle_of_a_client) {
    const auto asked = refuse_each(
        scarce::refuse_memory,
        [&] {
            throws_what_it_may([&] {
                client fleet{url(), {.connect_wait = 1s}};
                mutex lock{fleet, name};
                // One attempt: otherwise each of hundreds would be made again 100 ms later.
                if (lock.try_lock_for(1ms)) { lock.unlock(); }
            });
        },
        [&] { expect_free(name); });
    EXPECT_GT(asked, 10U);
}

TEST_P(no_memory_in_any_layout, in_a_cycle) {
    auto fleet = connect();
    mutex lock{fleet, name};
    lock.lock();
    lock.unlock();
    const auto asked = refuse_each(
        scarce::refuse_memory,
        [&] {
            throws_what_it_may([&] {
                lock.lock();
                lock.unlock();
            });
        },
        [&] {
            expect_free(name);
            expect_works(fleet, name);
        });
    EXPECT_GT(asked, 2U);
}

// While there is none at all, a lock may have to be left to its lease.
TEST_P(no_memory_in_any_layout, from_any_point_of_a_cycle_on) {
    client fleet{url(), {.connect_wait = 100ms}}; // for as long unlock() tries
    mutex lock{fleet, name, {.lease = 200ms}};
    expect_works(fleet, name);
    refuse_each(
        scarce::refuse_memory_from,
        [&] {
            throws_what_it_may([&] {
                if (lock.try_lock_for(1ms)) { lock.unlock(); }
            });
        },
        [&] {
            expect_free(name);
            expect_works(fleet, name);
        });
}

// Each point costs half a second: for so long a client that goes away tries to release what it had.
TEST_P(no_memory, from_any_point_of_a_clients_life_on) {
    refuse_each(
        scarce::refuse_memory_from,
        [&] {
            throws_what_it_may([&] {
                client fleet{url(), {.connect_wait = 100ms}};
                mutex lock{fleet, name, {.lease = 200ms}};
                if (lock.try_lock_for(1ms)) { lock.unlock(); }
            });
        },
        [&] { expect_free(name); }, by_run_length(67U, 23U));
}

TEST_P(no_memory, in_a_pipelined_cycle) {
    client fleet{url(), {.connect_wait = 1s, .pipeline_release = true}};
    mutex lock{fleet, name};
    lock.lock();
    lock.unlock();
    refuse_each(
        scarce::refuse_memory,
        [&] {
            for (int round = 0; round < 2; ++round) { // the second with the first one's release
                throws_what_it_may([&] {
                    lock.lock();
                    lock.unlock();
                });
            }
        },
        [&] { expect_free(name); });
    expect_works(fleet, name);
}

TEST_P(no_memory, of_a_waiter_and_of_whoever_hands_it_the_lock) {
    auto fleet = connect();
    mutex lock{fleet, name};
    mutex theirs{rival(), name};
    std::optional<lease> held;
    refuse_each(
        scarce::refuse_own_memory,
        [&] {
            const scarce::exempt mine;
            held = theirs.acquire();
            background waiter{[&](const std::stop_token&) {
                const bool threw = throws_what_it_may([&] {
                    lock.lock();
                    lock.unlock();
                });
                const scarce::exempt the_result;
                return threw;
            }};
            (void)eventually([&] { return waiter.done() || waits(name); }, 20ms);
            release(*held);
            waiter.get();
        },
        [&] {
            expect_free(name);
            expect_works(fleet, name);
        });
}

TEST_P(no_memory_in_any_layout, of_a_waiter_that_gives_up) {
    auto fleet = connect();
    mutex lock{fleet, name};
    mutex theirs{rival(), name};
    refuse_each(
        scarce::refuse_memory,
        [&] {
            std::optional<lease> held;
            {
                const scarce::exempt mine;
                held = theirs.acquire();
            }
            throws_what_it_may([&] { EXPECT_FALSE(lock.try_lock_for(5ms)); });
            const scarce::exempt mine;
            EXPECT_EQ(held->release(), holdfast::release_answer::released);
        },
        [&] { expect_free(name); });
    expect_works(fleet, name);
}

TEST_P(no_memory, of_a_waiter_that_is_stopped) {
    auto fleet = connect();
    mutex lock{fleet, name};
    mutex theirs{rival(), name};
    refuse_each(
        scarce::refuse_memory,
        [&] {
            const scarce::exempt mine;
            auto held = theirs.acquire();
            background waiter{[&](const std::stop_token& stop) {
                const bool threw =
                    throws_what_it_may([&] { (void)lock.try_acquire_for(1h, {.stop = stop}); });
                const scarce::exempt the_result;
                return threw;
            }};
            (void)eventually([&] { return waiter.done() || waits(name); }, 20ms);
            {
                const scarce::counted here;
                waiter.stop();
            }
            EXPECT_TRUE(waiter.done_within(5s));
            EXPECT_EQ(held.release(), holdfast::release_answer::released);
        },
        [&] { expect_free(name); });
    expect_works(fleet, name);
}

TEST_P(no_memory, of_a_holder_that_loses_its_lock) {
    auto fleet = connect();
    mutex lock{fleet, name};
    refuse_each(
        scarce::refuse_memory,
        [&] {
            std::optional<lease> held;
            std::atomic<bool> told{false};
            const auto tell = [&told] { told = true; };
            std::optional<std::stop_callback<decltype(tell)>> when_lost;
            const bool threw = throws_what_it_may([&] {
                held = lock.acquire({.lease = 1s}); // renewed soon, if the break is not heard of
                when_lost.emplace(held->lost(), tell);
            });
            const scarce::exempt mine;
            if (threw) { return; }
            holdfast::admin{rival()}.break_lock(name);
            EXPECT_TRUE(eventually([&] { return told.load(); }, 5s));
            EXPECT_FALSE(held->valid());
        },
        [&] {
            expect_free(name);
            expect_works(fleet, name);
        });
}

TEST_P(no_memory, of_a_client_whose_observer_is_told) {
    class careful final : public recording_observer {
        void on_event(const holdfast::event& event) noexcept override {
            const scarce::exempt mine;
            recording_observer::on_event(event);
        }
    };
    const auto watch = std::make_shared<careful>();
    client fleet{url(), {.connect_wait = 1s, .observer = watch}};
    mutex lock{fleet, name};
    refuse_each(
        scarce::refuse_memory,
        [&] {
            throws_what_it_may([&] {
                lock.lock();
                {
                    const scarce::exempt mine;
                    holdfast::admin{rival()}.break_lock(name);
                }
                lock.unlock(); // after the loss, or before it was heard of
                lock.unlock(); // not held
            });
        },
        [&] { expect_free(name); });
    lock.unlock();
    EXPECT_TRUE(watch->await(holdfast::event::kind::unlock_not_held));
    expect_works(fleet, name);
}

TEST_P(no_memory, of_a_lease_that_is_extended_and_released) {
    auto fleet = connect();
    mutex lock{fleet, name};
    refuse_each(
        scarce::refuse_memory,
        [&] {
            throws_what_it_may([&] {
                auto held = lock.acquire({.lease = 2s});
                std::error_code failure;
                held.extend(3s, failure);
                EXPECT_TRUE(!failure || failure == holdfast::errc::unknown_outcome) << failure;
                held.release();
            });
        },
        [&] { expect_free(name); });
    expect_works(fleet, name);
}

TEST_P(no_memory, of_a_set_that_is_released) {
    auto fleet = connect();
    const std::vector<std::string> names{name + "1", name + "2", name + "3"};
    refuse_each(
        scarce::refuse_memory,
        [&] {
            throws_what_it_may([&] {
                auto set = holdfast::try_acquire_all_for(fleet, names, 1s);
                if (set) { set->release(); }
            });
        },
        [&] {
            for (const auto& each : names) { expect_free(each); }
        });
}

// A busy name makes it give back the others.
TEST_P(no_memory, of_a_set_that_gives_back_what_it_has) {
    auto fleet = connect();
    const auto busy = mutex{rival(), name + "3"}.acquire();
    // How often it asks depends on the clock, so there is no last request to refuse.
    for (std::size_t which = 1; which < 120; which += by_run_length(13U, 1U)) {
        SCOPED_TRACE("from request " + std::to_string(which) + " on");
        scarce::refuse_memory_from(which);
        throws_what_it_may([&] {
            (void)holdfast::try_acquire_all_for(fleet, {name + "1", name + "2", name + "3"}, 10ms,
                                                {.lease = 400ms, .min_hold = 100ms});
        });
        scarce::settle();
        expect_free(name + "1");
        expect_free(name + "2");
    }
}

} // namespace
