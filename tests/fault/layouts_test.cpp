// What both layouts that others share promise alike.

#include "fault/redis_fixture.hpp"

#include <thread>

namespace holdfast::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct shared_layout {
    std::string name;
    layout how{};
    hold_options usual;
    hold_options fenced;
};

shared_layout plain() {
    return {"plain",
            layout::plain,
            {.layout = layout::plain},
            {.layout = layout::plain, .fencing = true}};
}
shared_layout redisson() {
    return {"redisson", layout::redisson, compat::redisson(), compat::redisson_fenced()};
}

class layouts : public redis_fault, public testing::WithParamInterface<shared_layout> {
protected:
    const shared_layout& in = GetParam();
    client here{server.url()};
    client there{server.url()};
};

INSTANTIATE_TEST_SUITE_P(each, layouts, testing::Values(plain(), redisson()),
                         [](const auto& one) { return one.param.name; });

TEST_P(layouts, eight_threads_of_two_clients_lose_no_count) { // P1
    int counter = 0;                                          // guarded by the lock alone
    const auto work = [&](client& of) {
        mutex lock{of, "stock", in.usual};
        for (int round = 0; round < 100; ++round) {
            const auto held = lock.acquire();
            const int seen = counter;
            std::this_thread::yield();
            counter = seen + 1;
        }
    };
    {
        std::vector<std::jthread> crew;
        for (int i = 0; i < 4; ++i) {
            crew.emplace_back([&] { work(here); });
            crew.emplace_back([&] { work(there); });
        }
    }
    EXPECT_EQ(counter, 800);
    EXPECT_TRUE(eventually([&] { return keys().empty(); }));
}

TEST_P(layouts, a_key_that_is_no_lock_is_refused_by_every_operation_and_left_alone) {
    const std::vector<std::string> as_list{"RPUSH", "stock", "a"};
    const std::vector<std::string> as_sorted_set{"ZADD", "stock", "1", "b"};
    const std::vector<std::string> as_set{"SADD", "stock", "a"};
    const std::vector<std::string> as_the_other{
        in.how == layout::plain ? std::vector<std::string>{"HSET", "stock", "a", "b"}
                                : std::vector<std::string>{"SET", "stock", "a"}};
    for (const auto& make : {as_list, as_sorted_set, as_set, as_the_other}) {
        server.flush_all();
        server.command(make);
        const auto kept = server.command({"DUMP", "stock"}).text();
        const auto refuses = [&](const char* what, auto action) {
            const auto said = complaint_of(action);
            EXPECT_EQ(said.code, errc::store_foreign)
                << make.front() << ", " << what << ": " << said.text;
            EXPECT_THAT(said.text, HasSubstr("holds something else")) << make.front() << what;
        };
        const admin by{here, in.how};
        refuses("try", [&] { (void)mutex{here, "stock"}.try_acquire(in.usual); });
        refuses("wait", [&] { (void)mutex{here, "stock"}.acquire(in.usual); });
        refuses("fenced", [&] { (void)mutex{here, "stock"}.acquire(in.fenced); });
        refuses("inspect", [&] { (void)by.inspect("stock"); });
        refuses("break", [&] { (void)by.break_lock("stock"); });
        refuses("release", [&] { (void)by.release("stock", here.id() + ":1"); });
        refuses("renew", [&] { (void)by.renew("stock", here.id() + ":1", 10s); });
        EXPECT_EQ(server.command({"DUMP", "stock"}).text(), kept);
        EXPECT_EQ(server.command({"PTTL", "stock"}).number(), -1);
        EXPECT_THAT(keys(), ElementsAre("stock"));
    }
}

} // namespace
} // namespace holdfast::test
