// The greeting of a connection, and pushes among its replies, with real and fake servers.

#include "fault/redis_fixture.hpp"
#include "support/redis_fake.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;
using words = redis_fake::words;

constexpr milliseconds a_second = 1s + scaled(400ms);

/// Takes and releases a lock on a fake server.
complaint use(const redis_fake& server) {
    client here{server.url() + "?timeout=300&connect_timeout=300", {.connect_wait = scaled(300ms)}};
    return complaint_of([&] {
        EXPECT_EQ((mutex{here, "stock"}.acquire().release()), release_answer::released);
    });
}

bool is(const words& request, const char* command) { return request.at(0) == command; }

// Servers that answer the greeting wrongly.

TEST(redis_greeting, of_a_fake_server_is_that_of_a_real_one) {
    const redis_fake server{redis_fake::usual};
    const auto complaint = use(server);
    EXPECT_FALSE(complaint.code) << complaint.text;
}

TEST(redis_greeting, of_a_server_that_refuses_resp3_fails_with_unsupported) {
    const redis_fake server{[](const words& request) {
        if (is(request, "SUBSCRIBE")) { // as in RESP2: not a push
            return "*3\r\n" + redis_fake::bulk("subscribe") + redis_fake::bulk(request.at(1)) +
                   ":1\r\n";
        }
        if (is(request, "SCRIPT") || is(request, "TIME")) {
            return "-ERR Can't execute '" + request.at(0) +
                   "': only (P|S)SUBSCRIBE / PING / QUIT / RESET are allowed in this context\r\n";
        }
        return redis_fake::usual(request);
    }};
    const stopwatch watch;
    const auto complaint = use(server);
    EXPECT_EQ(complaint.code, errc::unsupported) << complaint.text;
    EXPECT_THAT(complaint.text, HasSubstr("RESP3"));
    EXPECT_THAT(complaint.text, HasSubstr("127.0.0.1:" + std::to_string(server.port())));
    EXPECT_LT(watch.elapsed(), scaled(300ms)) << "another try would not help";
}

TEST(redis_greeting, of_a_server_that_does_not_know_a_command_fails_with_unsupported) {
    for (const char* const command : {"HELLO", "CLIENT", "SUBSCRIBE", "SCRIPT"}) {
        const redis_fake server{[=](const words& request) {
            return is(request, command) ? std::string{"-ERR unknown command '"} + command + "'\r\n"
                                        : redis_fake::usual(request);
        }};
        const auto complaint = use(server);
        EXPECT_EQ(complaint.code, errc::unsupported) << command << ": " << complaint.text;
        EXPECT_THAT(complaint.text, HasSubstr("7.0 or later")) << command;
        EXPECT_THAT(complaint.text, HasSubstr(command));
    }
}

TEST(redis_greeting, of_a_server_that_refuses_the_protocol_fails_with_unsupported) {
    const redis_fake server{[](const words& request) {
        return is(request, "HELLO") ? "-NOPROTO unsupported protocol version\r\n"
                                    : redis_fake::usual(request);
    }};
    const auto complaint = use(server);
    EXPECT_EQ(complaint.code, errc::unsupported) << complaint.text;
    EXPECT_THAT(complaint.text, HasSubstr("NOPROTO"));
}

TEST(redis_greeting, with_wrong_replies_is_an_error) {
    const auto instead_of = [](const char* command, const std::string& reply) {
        return [=](const words& request) {
            return is(request, command) ? reply : redis_fake::usual(request);
        };
    };
    for (const auto& [command, bytes] : std::vector<std::pair<const char*, std::string>>{
             {"CLIENT", "+OK\r\n"}, // it was to be skipped
             {"SUBSCRIBE", "+OK\r\n"},
             {"SUBSCRIBE", "_\r\n"},
             {"SUBSCRIBE", "*0\r\n"},
             {"SCRIPT", "+OK\r\n"},
             {"SCRIPT", "_\r\n"},
             {"SCRIPT", ":1\r\n"},
             {"SCRIPT", redis_fake::bulk(std::string(40, '0'))},
             {"TIME", "+OK\r\n"},
             {"TIME", "_\r\n"},
             {"HELLO", "+OK\r\n"},
             {"HELLO", "_\r\n"}}) {
        const redis_fake server{instead_of(command, bytes)};
        const auto complaint = use(server);
        EXPECT_TRUE(complaint.code == errc::unavailable || complaint.code == errc::unsupported)
            << command << ' ' << bytes << complaint.text;
        EXPECT_THAT(complaint.text, HasSubstr("127.0.0.1:" + std::to_string(server.port())));
    }
}

TEST(redis_greeting, may_list_many_modules) {
    const redis_fake server{[](const words& request) {
        auto reply = redis_fake::usual(request);
        if (!is(request, "HELLO") || reply.empty()) { return reply; }
        constexpr int count = 200;
        std::string modules = "*" + std::to_string(count) + "\r\n";
        for (int i = 0; i < count; ++i) {
            modules += "*8\r\n" + redis_fake::bulk("name") + redis_fake::bulk("search") +
                       redis_fake::bulk("ver") + ":20811\r\n" + redis_fake::bulk("path") +
                       redis_fake::bulk("/opt/" + std::string(300, 'x') + "/search.so") +
                       redis_fake::bulk("args") + "*2\r\n" + redis_fake::bulk("MAXSEARCHRESULTS") +
                       redis_fake::bulk("10000");
        }
        return reply.replace(reply.size() - 4, 4, modules); // in place of an empty list
    }};
    const auto complaint = use(server);
    EXPECT_FALSE(complaint.code) << complaint.text;
}

// Pushes and odd replies.

TEST(redis_greeting, may_have_pushes_before_and_after_every_reply) {
    const auto push = redis_fake::push("hf:inbox:x", "g0000000000000001"
                                                     "1700000000000001");
    const redis_fake server{[=](const words& request) {
        const auto reply = redis_fake::usual(request);
        return reply.empty() || is(request, "HELLO") ? reply : push + reply + push;
    }};
    const auto complaint = use(server);
    EXPECT_FALSE(complaint.code) << complaint.text;
}

TEST(redis_answer, of_another_type_of_resp3_costs_a_connection_and_no_lock) {
    for (const std::string bytes : {"_\r\n", "#t\r\n", ",1.5\r\n", "=7\r\ntxt:abc\r\n", "%0\r\n",
                                    "~0\r\n", "(12345\r\n", "|0\r\n", "!5\r\nERR x\r\n"}) {
        const redis_fake server{[asked = 0, bytes](const words& request) mutable {
            const bool acquires = is(request, "EVALSHA") && request.at(1) == scripts::acquire.sha;
            return acquires && asked++ == 0 ? bytes : redis_fake::usual(request);
        }};
        const auto complaint = use(server);
        EXPECT_FALSE(complaint.code)
            << bytes << complaint.text << ": asked again, it says what it should";
    }
}

TEST(redis_answer, as_verbatim_text_is_understood) {
    redis_server server{
        {.arguments = {"--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"}}};
    seam_client here{server.url()};
    const auto answer = here.ask(engine::diagnose_op{});
    ASSERT_TRUE(answer.report);
    EXPECT_THAT(answer.report->text, HasSubstr("allkeys-lru"));
    EXPECT_THAT(answer.report->text, HasSubstr("noeviction"));
}

class redis_pushes : public redis_fault {};

TEST_F(redis_pushes, split_into_single_bytes_are_read) {
    between.trickle(); // the greeting, too
    auto holder = direct();
    auto here = connect("?connect_timeout=5000");
    auto held = mutex{holder, "stock"}.acquire();
    auto waiting = wait_for(here);
    ASSERT_TRUE(will_wait(1));
    between.hold_requests({.times = for_good}); // it cannot ask
    held.release();
    EXPECT_TRUE(waiting.done_within(a_second));
    between.heal();
    between.release();
    EXPECT_TRUE(waiting.get().valid());
}

TEST_F(redis_pushes, in_the_middle_of_a_greeting_are_read) {
    auto holder = direct();
    auto here = connect("?connect_timeout=5000");
    auto held = mutex{holder, "stock"}.acquire();
    auto waiting = wait_for(here);
    ASSERT_TRUE(will_wait(1));
    between.hold_requests({.with = "SCRIPT"}); // of the next connection, which has subscribed
    between.cut();
    ASSERT_TRUE(eventually([&] { return between.counts().held == 1; }));
    ASSERT_TRUE(will_listen(3)) << "the holder, the looker, and again the waiter";
    held.release();
    EXPECT_TRUE(waiting.done_within(a_second)) << "it has not been greeted yet";
    EXPECT_EQ(between.counts().held, 1U);
    between.release();
    auto got = waiting.get();
    EXPECT_TRUE(got.valid());
    EXPECT_EQ(got.release(), release_answer::released);
}

TEST_F(redis_pushes, among_the_replies_of_many_threads_are_told_apart) {
    auto here = connect();
    std::vector<std::unique_ptr<background<int>>> all;
    for (int i = 0; i < 8; ++i) {
        all.push_back(std::make_unique<background<int>>([&here, i](const std::stop_token&) {
            mutex own{here, "own-" + std::to_string(i)};
            int good = 0;
            for (int n = 0; n < 100; ++n) {
                auto held = own.acquire();
                good += held.release() == release_answer::released ? 1 : 0;
            }
            return good;
        }));
    }
    const auto nobodys = redis_fake::push("hf:inbox:x", "g00000000ffffffff"
                                                        "1700000000000001");
    while (!std::ranges::all_of(all, [](const auto& each) { return each->done(); })) {
        between.inject(nobodys);
    }
    for (auto& each : all) { EXPECT_EQ(each->get(), 100); }
    EXPECT_EQ(between.counts().connections, 1U);
}

} // namespace
} // namespace holdfast::test
