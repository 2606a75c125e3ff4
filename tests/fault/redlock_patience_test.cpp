// P5, P9: three of five servers are dead or frozen. Each call says so within its caller's patience.
#include "fault/redlock_fixture.hpp"

#include <functional>
#include <ostream>

namespace holdfast::test {
namespace {

constexpr milliseconds patience = 300ms;
/// For a busy machine.
constexpr milliseconds slack = scaled(700ms);

struct outage {
    const char* name;
    bool frozen = false; ///< else dead
    bool in_use = false; ///< the client has used the servers before
};

struct call {
    const char* name;
    std::function<bool(mutex&, std::error_code&)> lock;
};

/// A try is one attempt: it ends with node_timeout or connect_timeout, and lock() with
/// connect_wait.
const std::vector<call> calls{
    {"try_lock", [](mutex& lock, std::error_code& out) { return lock.try_lock(out); }},
    {"try_lock_for",
     [](mutex& lock, std::error_code& out) { return lock.try_lock_for(patience, out); }},
    {"try_acquire_for",
     [](mutex& lock, std::error_code& out) {
         return lock.try_acquire_for(patience, {}, out).has_value();
     }},
    {"lock", [](mutex& lock, std::error_code& out) { return lock.lock({}, out); }},
};

class redlock_patience : public redlock_fault, public testing::WithParamInterface<outage> {
protected:
    void break_three() {
        for (std::size_t at = 0; at < 3; ++at) {
            if (GetParam().frozen) {
                servers[at].pause();
            } else {
                servers[at].kill();
            }
        }
    }
    void resume_three() {
        for (std::size_t at = 0; at < 3; ++at) { servers[at].resume(); }
    }
};

TEST_P(redlock_patience, of_every_call_ends_with_no_quorum) {
    client fleet{url("?rejoin_delay=no&node_timeout=250&connect_timeout=300"),
                 {.connect_wait = patience}};
    mutex stock{fleet, "stock"};
    if (GetParam().in_use) { const auto held = stock.acquire(); }
    break_three();
    for (int round = 0; round < 2; ++round) {
        for (const auto& each : calls) {
            std::error_code failure;
            const stopwatch watch;
            EXPECT_FALSE(each.lock(stock, failure)) << each.name;
            EXPECT_EQ(failure, errc::no_quorum) << each.name << ": " << failure.message();
            EXPECT_LT(watch.elapsed(), patience + slack) << each.name;
        }
    }
    resume_three();
    EXPECT_TRUE(eventually([&] { return votes() == 0; })) << "P8";
}

std::string name_of(const testing::TestParamInfo<outage>& one) { return one.param.name; }

INSTANTIATE_TEST_SUITE_P(three_of_five, redlock_patience,
                         testing::Values(outage{"dead", false, false},
                                         outage{"killed_in_use", false, true},
                                         outage{"frozen", true, false},
                                         outage{"frozen_in_use", true, true}),
                         name_of);

} // namespace
} // namespace holdfast::test
