// Errors when the server is missing, refuses, or is not a Redis server.

#include "fault/redis_fixture.hpp"
#include "support/free_port.hpp"
#include "support/sandbox.hpp"

#include <cstdlib>

namespace holdfast::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* secret = "s3cr3t";

/// Checks that the error names the server and does not contain a password.
testing::AssertionResult says(const complaint& complaint, errc code, std::uint16_t port,
                              const std::vector<std::string>& parts) {
    const auto wrong = [&](const std::string& why) {
        return testing::AssertionFailure()
               << why << ": " << complaint.code << " \"" << complaint.text << '"';
    };
    if (complaint.code != code) { return wrong("another code"); }
    if (complaint.text.find("127.0.0.1:" + std::to_string(port)) == std::string::npos) {
        return wrong("it does not name the server");
    }
    for (const auto& part : parts) {
        if (complaint.text.find(part) == std::string::npos) { return wrong("no \"" + part + '"'); }
    }
    if (complaint.text.find(secret) != std::string::npos) { return wrong("it tells the password"); }
    return testing::AssertionSuccess();
}

/// Takes the lock. Errors that may pass are tried for connect_wait.
complaint take_lock(client& here, const std::string& name = "stock") {
    return complaint_of([&] { (void)mutex{here, name}.acquire(); });
}

complaint take_lock(const std::string& url, milliseconds connect_wait = scaled(300ms)) {
    client here{url, {.connect_wait = connect_wait}};
    return take_lock(here);
}

class redis_error : public redis_fault {
protected:
    [[nodiscard]] client impatient(const std::string& query = {}) const {
        return connect(query, {.connect_wait = scaled(300ms)});
    }
};

// The network.

TEST_F(redis_error, of_a_missing_server_says_refused) {
    server.kill();
    const auto complaint = take_lock(server.url());
    EXPECT_TRUE(says(complaint, errc::unavailable, server.port(), {"refused"}));
}

TEST_F(redis_error, of_a_waiting_caller_names_the_server_and_the_cause) {
    redis_server gone;
    client here{gone.url() + "?timeout=300", {.connect_wait = 1s}};
    const auto held = mutex{here, "stock"}.acquire();
    client other{gone.url() + "?timeout=300", {.connect_wait = 1s}};
    background<complaint> waiting{[&](const std::stop_token&) {
        return complaint_of([&] { (void)mutex{other, "stock"}.acquire(); });
    }};
    ASSERT_TRUE(eventually([&] {
        const auto seen = admin{here}.inspect("stock");
        return seen && seen->waiters.size() == 1;
    }));
    gone.kill();
    const auto complaint = waiting.get();
    EXPECT_EQ(complaint.code, errc::unavailable);
    EXPECT_THAT(complaint.text, HasSubstr("Redis at 127.0.0.1:" + std::to_string(gone.port())));
}

TEST_F(redis_error, of_a_missing_server_is_returned_after_connect_wait_and_not_before) {
    server.kill();
    const stopwatch watch;
    (void)take_lock(server.url(), 400ms);
    EXPECT_GE(watch.elapsed(), 250ms); // less a pause between two tries
    EXPECT_LT(watch.elapsed(), scaled(2s));
}

TEST_F(redis_error, of_a_server_that_accepts_and_never_answers_says_so) {
    between.silence_new();
    auto here = impatient("?connect_timeout=150");
    const auto complaint = take_lock(here);
    EXPECT_TRUE(says(complaint, errc::unavailable, between.port(), {"does not answer"}));
}

TEST_F(redis_error, of_a_server_that_does_not_confirm_the_inbox_says_that_it_does_not_answer) {
    between.hold_requests({.with = "SUBSCRIBE", .times = for_good});
    auto here = impatient("?connect_timeout=150");
    EXPECT_TRUE(says(take_lock(here), errc::unavailable, between.port(), {"does not answer"}));
    EXPECT_FALSE(is_held());
}

TEST_F(redis_error, of_a_server_that_stops_answering_says_how_long_the_client_waited) {
    auto here = impatient("?timeout=100&connect_timeout=100");
    (void)here.ping();
    between.half_open();
    between.refuse_new();
    const auto complaint = take_lock(here);
    EXPECT_EQ(complaint.code, errc::unavailable);
    const auto told = complaint_of([&] { (void)here.ping(); });
    EXPECT_EQ(told.code, errc::unavailable);
    EXPECT_THAT(told.text, HasSubstr("127.0.0.1:" + std::to_string(between.port())));
}

TEST_F(redis_error, ends_when_the_server_comes_back) {
    server.kill();
    client here{server.url()};
    background asking{[&](const std::stop_token&) { return mutex{here, "stock"}.acquire(); }};
    EXPECT_FALSE(asking.done_within(100ms));
    server.restart();
    EXPECT_TRUE(asking.get().valid());
}

TEST_F(redis_error, of_a_half_open_connection_is_avoided_by_renewals_on_a_new_one) { // P2
    const auto watch = std::make_shared<recording_observer>();
    const auto span = scaled(1500ms);
    auto here = connect("?timeout=200", {.observer = watch});
    const auto held = mutex{here, "stock"}.acquire({.lease = span});
    const stopwatch age;
    between.half_open();
    const auto told = watch->await(event::kind::renewal_failed);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->error, errc::unavailable);
    EXPECT_THAT(told->detail, HasSubstr("127.0.0.1:" + std::to_string(between.port())));
    ASSERT_TRUE(watch->await(event::kind::renewal_recovered));
    EXPECT_TRUE(
        throughout(span - std::min(age.elapsed(), span) + 50ms, [&] { return held.valid(); }));
    EXPECT_FALSE(watch->first(event::kind::lost));
}

TEST_F(redis_error,
       of_a_half_open_connection_that_does_not_heal_is_a_loss_signalled_in_time) { // P2
    const auto span = scaled(600ms);
    auto here = connect("?timeout=150&connect_timeout=150");
    const stopwatch since_before_it_was_sent;
    const auto held = mutex{here, "stock"}.acquire({.lease = span});
    between.half_open();
    between.silence_new();
    ASSERT_TRUE(eventually([&] { return !held.valid(); }));
    EXPECT_LT(since_before_it_was_sent.elapsed(), 2 * span) << "one renewal may have been good";
    EXPECT_TRUE(eventually([&] { return held.lost().stop_requested(); }, scaled(200ms)));
    EXPECT_TRUE(is_held()) << "told before the server gives it to another";
    EXPECT_EQ(held.why_lost(), loss::expired);
}

// Replies that are not RESP.

class redis_garbage : public redis_error, public testing::WithParamInterface<garbage> {};

INSTANTIATE_TEST_SUITE_P(kinds, redis_garbage,
                         testing::Values(garbage::wrong_type, garbage::huge_string,
                                         garbage::huge_list, garbage::no_number, garbage::noise,
                                         garbage::truncated));

TEST_P(redis_garbage, in_place_of_one_reply_costs_only_the_connection) {
    auto here = connect("?timeout=200");
    (void)here.ping();
    const auto before = between.counts().connections;
    between.mangle(GetParam(), {.with = call_of(scripts::acquire)});
    auto held = mutex{here, "stock"}.acquire();
    EXPECT_EQ(between.counts().connections, before + 1);
    EXPECT_EQ(look().holders.size(), 1U);
    EXPECT_EQ(held.release(), release_answer::released);
}

TEST_P(redis_garbage, in_place_of_every_reply_is_an_error_that_questions_the_address) {
    between.mangle(GetParam(), {.with = "HELLO", .times = for_good});
    auto here = impatient("?connect_timeout=150");
    const auto complaint = take_lock(here);
    const bool just_ends = GetParam() == garbage::truncated || GetParam() == garbage::huge_string;
    EXPECT_TRUE(says(complaint, errc::unavailable, between.port(),
                     {just_ends ? "Redis at" : "are not Redis's protocol"}));
}

TEST_P(redis_garbage, in_place_of_a_push_costs_only_the_connection_and_the_waiter_continues) {
    auto holder = direct();
    auto here = connect("?timeout=200");
    auto held = mutex{holder, "stock"}.acquire();
    auto waiting = wait_for(here);
    ASSERT_TRUE(will_wait(1));
    between.mangle_pushes(GetParam());
    held.release();
    EXPECT_TRUE(waiting.done_within(scaled(3s)));
    EXPECT_TRUE(waiting.get().valid());
    EXPECT_EQ(between.counts().connections, 2U);
}

TEST_F(redis_error, is_not_caused_by_invalid_pushes) {
    auto holder = direct();
    auto here = connect();
    auto held = mutex{holder, "stock"}.acquire();
    auto waiting = wait_for(here);
    ASSERT_TRUE(will_wait(1));
    const auto push = [&](const std::string& text) {
        between.inject(">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$" + std::to_string(text.size()) +
                       "\r\n" + text + "\r\n");
    };
    for (const auto* text : {"", "g", "gzzzzzzzzzzzzzzzz0000000000000001", "x0123456789abcdef",
                             "g0000000000000001", "b0000000000000001123"}) {
        push(text);
    }
    for (const auto* bytes :
         {">1\r\n:5\r\n", ">0\r\n", ">-1\r\n", ">2\r\n$10\r\ninvalidate\r\n*-1\r\n",
          ">3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:2\r\n", ">1\r\n*1\r\n$7\r\nmessage\r\n"}) {
        between.inject(bytes);
    }
    EXPECT_FALSE(waiting.done_within(50ms));
    held.release();
    EXPECT_TRUE(waiting.get().valid());
    EXPECT_EQ(between.counts().connections, 1U) << "they are ignored";
}

TEST_F(redis_error, ends_a_connection_with_a_reply_to_no_request) {
    auto here = connect();
    (void)here.ping();
    between.inject("+OK\r\n");
    auto held = mutex{here, "stock"}.acquire();
    EXPECT_EQ(held.release(), release_answer::released);
    EXPECT_FALSE(is_held());
}

// Authentication.

TEST(redis_login, is_required_if_the_url_has_no_password) {
    redis_server server{{.password = secret}};
    EXPECT_TRUE(says(take_lock(server.url()), errc::store_forbidden, server.port(),
                     {"NOAUTH", "redis://user:password@host"}));
}

std::string with_login(const redis_server& server, const std::string& login) {
    return "redis://" + login + "@127.0.0.1:" + std::to_string(server.port());
}

TEST(redis_login, is_refused_at_once_if_the_password_is_wrong) {
    redis_server server{{.password = "another"}};
    const stopwatch watch;
    EXPECT_TRUE(says(take_lock(with_login(server, std::string{":"} + secret), 5s),
                     errc::store_forbidden, server.port(), {"WRONGPASS", "refuses"}));
    EXPECT_TRUE(says(take_lock(with_login(server, std::string{"nobody:"} + secret), 5s),
                     errc::store_forbidden, server.port(), {"WRONGPASS", "refuses"}));
    EXPECT_LT(watch.elapsed(), scaled(2s)) << "another try would not help";
}

TEST(redis_login, is_never_quoted_by_an_error_in_the_url) {
    for (const std::string url :
         {"redis://u:s3cr3t@host:0", "redis://u:s3cr3t%zz@host", "redis://s3cr3t@host",
          "redis://u:s3cr3t@host/db", "redis://u:s3cr3t@", "redis://u:s3cr3t@host?patience=3",
          "redis://u:s3cr3t@a,b", "rediss://u:s3cr3t@host?verify=perhaps",
          "redis+unix://u:s3cr3t@host/x", "redis://u:s3cr3t@a:b:c"}) {
        const auto complaint = complaint_of([&] { const client here{url}; });
        EXPECT_EQ(complaint.code, errc::invalid_url) << url;
        EXPECT_THAT(complaint.text, Not(HasSubstr(secret)));
    }
}

TEST(redis_login,
     that_is_changed_during_a_hold_appears_in_no_event_and_the_loss_is_signalled_in_time) {
    redis_server server{{.password = secret}};
    const auto watch = std::make_shared<recording_observer>();
    client here{with_login(server, std::string{":"} + secret), {.observer = watch}};
    const auto held = mutex{here, "stock"}.acquire({.lease = scaled(600ms)});
    server.command({"CONFIG", "SET", "requirepass", "another"});
    drop_connections(server);
    ASSERT_TRUE(watch->await(event::kind::lost));
    EXPECT_FALSE(held.valid());
    const auto told = watch->first(event::kind::renewal_failed);
    ASSERT_TRUE(told);
    EXPECT_TRUE(eventually([&] {
        const auto complaint = take_lock(here);
        return says(complaint, errc::store_forbidden, server.port(), {"WRONGPASS"});
    })) << "and whoever asks next is told";
    for (const auto& each : watch->all()) { EXPECT_THAT(each.detail, Not(HasSubstr(secret))); }
}

TEST_F(redis_error, of_a_user_who_may_not_run_scripts_names_the_page_with_the_rule) {
    server.command({"ACL", "SETUSER", "clerk", "on", std::string{">"} + secret, "~*", "&*", "+@all",
                    "-evalsha"});
    EXPECT_TRUE(says(take_lock(with_login(server, std::string{"clerk:"} + secret)),
                     errc::store_forbidden, server.port(), {"NOPERM", "docs/redis.md"}));
}

// States of the server.

TEST_F(redis_error, of_a_server_that_loads_its_data_is_temporary) {
    redis_server loading{{.arguments = {"--enable-debug-command", "yes", "--key-load-delay", "1000",
                                        "--loading-process-events-interval-bytes", "1024"}}};
    ASSERT_FALSE(loading.command({"DEBUG", "POPULATE", "600", "k", "2000"}).is_error());
    client patient{loading.url()};
    (void)patient.ping();
    redis_raw other{loading.port()};
    other.send({"DEBUG", "RELOAD"});
    ASSERT_TRUE(eventually([&] { return loading.command({"DBSIZE"}).is_error(); }));
    EXPECT_TRUE(says(take_lock(loading.url(), 100ms), errc::unavailable, loading.port(),
                     {"LOADING", "try again soon"}));
    EXPECT_TRUE((mutex{patient, "stock"}.acquire()));
    EXPECT_EQ(loading.command({"DBSIZE"}).number(), 602)
        << "with record and mark: it had finished by then";
}

TEST_F(redis_error, of_a_server_that_runs_a_slow_script_is_temporary_and_names_the_remedy) {
    server.command({"CONFIG", "SET", "busy-reply-threshold", "20"});
    auto here = connect();
    auto other = impatient();
    (void)here.ping();
    (void)other.ping();
    redis_raw slow{server.port()};
    slow.send({"EVAL", "while true do end", "0"});
    ASSERT_TRUE(eventually([&] { return server.command({"PING"}).is_error(); }));
    EXPECT_TRUE(says(take_lock(other), errc::unavailable, between.port(), {"BUSY", "SCRIPT KILL"}));
    EXPECT_TRUE(
        says(take_lock(server.url()), errc::unavailable, server.port(), {"BUSY", "SCRIPT KILL"}))
        << "also when it connects just then";
    background asking{[&](const std::stop_token&) { return mutex{here, "stock"}.acquire(); }};
    EXPECT_FALSE(asking.done_within(50ms));
    server.command({"SCRIPT", "KILL"});
    EXPECT_TRUE(asking.get().valid());
}

TEST_F(redis_error, of_a_replica_names_the_remedy_also_if_it_became_one_just_now) {
    auto here = impatient();
    (void)here.ping();
    server.command({"REPLICAOF", "127.0.0.1", "1"});
    EXPECT_TRUE(
        says(take_lock(here), errc::unavailable, between.port(), {"replica", "the master"}));
    EXPECT_TRUE(says(take_lock(server.url()), errc::unavailable, server.port(),
                     {"replica", "the address of the master"}));
    server.command({"REPLICAOF", "NO", "ONE"});
    EXPECT_TRUE((mutex{here, "stock"}.try_acquire())) << "and it goes on when it is master again";
}

TEST_F(redis_error, of_a_replica_ends_the_session_which_redis_itself_would_keep) {
    auto here = impatient();
    (void)here.ping();
    const auto before = between.counts().connections;
    server.command({"REPLICAOF", "127.0.0.1", "1"});
    EXPECT_EQ(take_lock(here).code, errc::unavailable);
    server.command({"REPLICAOF", "NO", "ONE"});
    EXPECT_TRUE((mutex{here, "stock"}.try_acquire()));
    EXPECT_GT(between.counts().connections, before);
}

TEST_F(redis_error, of_a_replica_without_its_master_says_so) {
    auto here = impatient();
    (void)here.ping();
    server.command({"CONFIG", "SET", "replica-serve-stale-data", "no"});
    server.command({"REPLICAOF", "127.0.0.1", "1"});
    EXPECT_TRUE(says(take_lock(here), errc::unavailable, between.port(), {"master"}));
}

TEST_F(redis_error, of_a_server_with_too_few_replicas_says_so) {
    auto here = impatient();
    (void)here.ping();
    server.command({"CONFIG", "SET", "min-replicas-to-write", "1"});
    EXPECT_TRUE(says(take_lock(here), errc::unavailable, between.port(),
                     {"NOREPLICAS", "min-replicas-to-write"}));
}

TEST_F(redis_error, of_a_server_that_cannot_save_says_where_to_look) {
    redis_server disk{{.arguments = {"--enable-protected-configs", "yes"}}};
    ASSERT_EQ(disk.command({"CONFIG", "SET", "save", "3600 1"}).text(), "OK");
    ASSERT_EQ(disk.command({"CONFIG", "SET", "dir", "/proc"}).text(), "OK");
    disk.command({"BGSAVE"});
    ASSERT_TRUE(eventually([&] {
        return disk.command({"INFO", "persistence"}).string().find("rdb_last_bgsave_status:err") !=
               std::string::npos;
    }));
    EXPECT_TRUE(
        says(take_lock(disk.url()), errc::unavailable, disk.port(), {"MISCONF", "see its log"}));
}

TEST_F(redis_error, of_a_full_server_is_returned_at_once_and_only_to_requests_that_need_memory) {
    const auto span = scaled(900ms);
    auto here = connect();
    auto other = connect();
    auto held = mutex{here, "stock"}.acquire({.lease = span});
    auto elsewhere = mutex{other, "kept"}.acquire({.lease = span});
    const stopwatch age;
    auto waiting = wait_for(other);
    ASSERT_TRUE(will_wait(1));
    background impatient{[&](const std::stop_token& stop) {
        return mutex{here, "kept"}.try_acquire_for(long_wait, {.stop = stop}).has_value();
    }};
    ASSERT_TRUE(will_wait(1, "kept"));
    server.command({"CONFIG", "SET", "maxmemory", "1"});

    const stopwatch watch;
    EXPECT_TRUE(says(take_lock(here, "new"), errc::store_full, between.port(),
                     {"OOM", "maxmemory", "raise it"}));
    EXPECT_LT(watch.elapsed(), scaled(1s));

    impatient.stop();
    EXPECT_FALSE(impatient.get());
    EXPECT_TRUE(eventually([&] { return queued("kept") == 0; })) << "withdraw";
    std::this_thread::sleep_for(span - std::min(age.elapsed(), span) + 50ms);
    EXPECT_TRUE(held.valid()) << "renewed";
    EXPECT_TRUE(elsewhere.valid()) << "renewed";
    EXPECT_EQ(held.release(), release_answer::released);
    EXPECT_TRUE(waiting.get().valid()) << "handed off";
    EXPECT_TRUE(admin{here}.break_lock("kept"));
}

TEST_F(redis_error, of_a_cluster_node_says_that_it_is_not_supported) {
    redis_server node{{.arguments = {"--cluster-enabled", "yes"}}};
    EXPECT_TRUE(says(take_lock(node.url(), 5s), errc::unsupported, node.port(), {"mode cluster"}));
}

TEST_F(redis_error, of_a_sentinel_says_that_it_is_not_supported) {
    const char* const chosen = std::getenv("HOLDFAST_REDIS_SERVER");
    sandbox sandbox;
    const auto port = free_port();
    sandbox.write("sentinel.conf", "bind 127.0.0.1\nport " + std::to_string(port) + "\n");
    auto sentinel = sandbox.start({chosen != nullptr && *chosen != '\0' ? chosen : "redis-server",
                                   sandbox.file("sentinel.conf").string(), "--sentinel"});
    const auto url = "redis://127.0.0.1:" + std::to_string(port);
    EXPECT_TRUE(says(take_lock(url, 5s), errc::unsupported, port, {"mode sentinel"}));
    sentinel.signal(SIGKILL);
}

TEST_F(redis_error, of_a_database_that_the_server_does_not_have_names_it) {
    const auto complaint = take_lock(server.url() + "/99", 5s);
    EXPECT_TRUE(says(complaint, errc::unsupported, server.port(), {"99", "databases"}));
    EXPECT_THAT(complaint.text, Not(HasSubstr("7.0 or later")));
    client inside{server.url() + "/15"};
    EXPECT_TRUE((mutex{inside, "stock"}.try_acquire()));
}

} // namespace
} // namespace holdfast::test
