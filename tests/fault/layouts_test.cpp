// Behaviour that all foreign layouts share.

#include "fault/redis_fixture.hpp"

#include <thread>

namespace holdfast::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct shared_layout {
    std::string name;
    holdfast::layout layout{};
    lock_options usual;
    lock_options fenced;
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
                         [](const auto& each) { return each.param.name; });

TEST_P(layouts, eight_threads_of_two_clients_lose_no_count) { // P1
    int counter = 0;                                          // guarded by the lock alone
    const auto work = [&](client& client) {
        mutex lock{client, "stock", in.usual};
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

TEST_P(layouts, options_of_a_call_do_not_make_it_another_lock) { // P1
    mutex lock{here, "stock", in.usual};
    const auto held = lock.acquire({.lease = 10s, .renew = false});
    EXPECT_THAT(keys(), ElementsAre("stock"));
    EXPECT_FALSE((mutex{there, "stock", in.usual}.try_acquire_for(1ms, {.lease = 5s})));
}

TEST_P(layouts, options_of_a_call_do_not_remove_the_tokens) { // P3
    mutex lock{here, "stock", in.fenced};
    EXPECT_GT(lock.acquire({.lease = 10s}).token(), 0U);
    EXPECT_THROW((void)mutex(here, "stock", in.usual).acquire().token(), error);
}

TEST_P(layouts, a_release_by_another_client_is_remembered_for_a_minute) { // P5, as the command does
    const auto owner = mutex{here, "stock", in.usual}.acquire().detach();
    EXPECT_TRUE((admin{client{server.url()}, in.layout}.release("stock", owner)));
    EXPECT_TRUE((admin{client{server.url()}, in.layout}.release("stock", owner))) << "as it was";
    const auto left = keys();
    ASSERT_EQ(left.size(), 1U) << "where it is remembered";
    EXPECT_GT(server.command({"PTTL", left.front()}).number(), 30'000);
    EXPECT_LE(server.command({"PTTL", left.front()}).number(), 60'000);
    const auto next = mutex{there, "stock", in.usual}.acquire();
    EXPECT_TRUE((admin{client{server.url()}, in.layout}.release("stock", owner)));
    EXPECT_FALSE((mutex{here, "stock", in.usual}.try_acquire())) << "the next holder is left alone";
}

TEST_P(layouts, a_release_without_a_hold_is_not_remembered) {
    const admin by{there, in.layout};
    EXPECT_FALSE(by.release("stock", here.id() + ":7"));
    EXPECT_FALSE(by.release("stock", here.id() + ":7"));
    EXPECT_TRUE(keys().empty());
}

TEST_P(layouts, a_release_that_may_not_publish_changes_nothing) {
    server.command(
        {"ACL", "SETUSER", "mute", "on", "nopass", "~*", "+@all", "resetchannels", "&hf:inbox*"});
    const auto url = "redis://mute:any@127.0.0.1:" + std::to_string(server.port());
    client mute{url};
    auto held = mutex{mute, "stock", in.usual}.acquire();
    EXPECT_EQ(complaint_of([&] { (void)held.release(); }).code, errc::store_forbidden);
    EXPECT_THAT(keys(), testing::Contains("stock")) << "it is free at the end of its lease";
}

TEST_P(layouts, a_holder_whose_key_was_replaced_is_notified_at_once) { // P2
    const auto watch = std::make_shared<recording_observer>();
    const client watched{server.url(), {.observer = watch}};
    auto options = in.usual;
    options.lease = 6s;
    const auto held = mutex{watched, "stock", options}.acquire();
    server.command({"DEL", "stock"});
    server.command({"RPUSH", "stock", "a"});
    EXPECT_TRUE(watch->await(event::kind::lost, 4s)) << "at the next renewal, after 2 s";
}

TEST_P(layouts, tokens_that_are_no_numbers_are_refused_and_not_changed) {
    const std::string key =
        in.layout == layout::plain ? "hf:token:{stock}" : "redisson_lock_token:{stock}";
    server.command({"SET", key, "abc"});
    EXPECT_EQ(complaint_of([&] {
                  (void)mutex{here, "stock", in.fenced}.acquire();
              }).code,
              errc::store_foreign);
    EXPECT_EQ(server.command({"GET", key}).string(), "abc");
    EXPECT_THAT(keys(), ElementsAre(key));
}

TEST_P(layouts, a_key_that_is_no_lock_is_refused_by_every_operation_and_not_changed) {
    const std::vector<std::string> as_list{"RPUSH", "stock", "a"};
    const std::vector<std::string> as_sorted_set{"ZADD", "stock", "1", "b"};
    const std::vector<std::string> as_set{"SADD", "stock", "a"};
    const std::vector<std::string> as_the_other{
        in.layout == layout::plain ? std::vector<std::string>{"HSET", "stock", "a", "b"}
                                   : std::vector<std::string>{"SET", "stock", "a"}};
    for (const auto& make : {as_list, as_sorted_set, as_set, as_the_other}) {
        server.flush_all();
        server.command(make);
        const auto kept = server.command({"DUMP", "stock"}).text();
        const auto refuses = [&](const char* operation, auto action) {
            const auto complaint = complaint_of(action);
            EXPECT_EQ(complaint.code, errc::store_foreign)
                << make.front() << ", " << operation << ": " << complaint.text;
            EXPECT_THAT(complaint.text, HasSubstr("holds something else"))
                << make.front() << operation;
        };
        const admin by{here, in.layout};
        refuses("try", [&] { (void)mutex{here, "stock", in.usual}.try_acquire(); });
        refuses("wait", [&] { (void)mutex{here, "stock", in.usual}.acquire(); });
        refuses("fenced", [&] { (void)mutex{here, "stock", in.fenced}.acquire(); });
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
