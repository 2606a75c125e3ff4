// The server that tests start, tried with a plain connection: what the tests of the Redis engine
// stand on.

#include "support/redis_server.hpp"

#include "support/background.hpp"
#include "support/child.hpp"
#include "support/processes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

// compiled alone: other files of the folder have helpers of the same names

namespace holdfast::test {

namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(redis_server, answers_on_its_port_and_on_its_socket) {
    redis_server server;
    EXPECT_EQ(server.url(), "redis://127.0.0.1:" + std::to_string(server.port()));
    redis_raw over_tcp{server.port()};
    redis_raw over_unix{server.unix_path()};
    EXPECT_EQ(over_tcp.ask({"SET", "k", "v"}).text(), "OK");
    EXPECT_EQ(over_unix.ask({"GET", "k"}).text(), "v");
    EXPECT_EQ(over_tcp.ask({"EVAL", "return {1, 'a', {}, false, {err = 'ERR no'}}", "0"}).text(),
              "[1, a, [], nil, error: ERR no]");
}

TEST(redis_server, starts_quickly) {
    EXPECT_LT(quickest_of(5,
                          [] {
                              const stopwatch watch;
                              const redis_server server;
                              return watch.elapsed();
                          }),
              500ms);
}

TEST(redis_server, has_a_port_of_its_own) {
    std::set<std::uint16_t> ports;
    std::vector<std::unique_ptr<redis_server>> servers;
    for (int i = 0; i < 5; ++i) {
        servers.push_back(std::make_unique<redis_server>());
        ports.insert(servers.back()->port());
    }
    EXPECT_EQ(ports.size(), 5U);
}

TEST(redis_server, leaves_neither_process_nor_files) {
    std::optional<redis_server> server{std::in_place};
    const auto pid = server->pid();
    const auto folder = server->unix_path().parent_path();
    ASSERT_NE(state_of(pid), '\0');
    ASSERT_TRUE(std::filesystem::exists(folder));
    server.reset();
    EXPECT_EQ(state_of(pid), '\0');
    EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(redis_server, goes_also_while_it_is_paused) {
    std::optional<redis_server> server{std::in_place};
    const auto pid = server->pid();
    server->pause();
    server.reset();
    EXPECT_EQ(state_of(pid), '\0');
}

TEST(redis_server, dies_with_the_process_that_made_it) {
    const auto found = in_child([] {
        // Never destroyed, as in a process that crashes.
        const auto* const server = new redis_server; // NOLINT(cppcoreguidelines-owning-memory)
        return std::to_string(server->pid()) + " " + server->unix_path().parent_path().string();
    });
    std::istringstream words{found};
    ::pid_t pid = 0;
    std::string folder;
    ASSERT_TRUE(words >> pid >> folder) << found;
    std::filesystem::remove_all(folder);
    EXPECT_TRUE(eventually([&] { return state_of(pid) == '\0' || state_of(pid) == 'Z'; }));
}

TEST(redis_server, does_nothing_while_paused_and_catches_up_afterwards) {
    redis_server server;
    redis_raw client{server.port()};
    server.pause();
    client.send({"INCR", "n"});
    EXPECT_FALSE(client.read(20ms));
    server.resume();
    const auto answer = client.read();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->number(), 1);
}

TEST(redis_server, refuses_connections_when_killed) {
    redis_server server;
    redis_raw client{server.port()};
    server.kill();
    EXPECT_TRUE(client.closes());
    EXPECT_THROW(redis_raw{server.port()}, std::system_error);
}

TEST(redis_server, comes_back_empty_on_the_same_port) {
    redis_server server;
    const auto port = server.port();
    server.command({"SET", "k", "v"});
    server.restart();
    EXPECT_EQ(server.port(), port);
    EXPECT_EQ(redis_raw{port}.ask({"DBSIZE"}).number(), 0);
}

TEST(redis_server, waits_for_its_port_if_somebody_has_it_for_a_moment) {
    redis_server server;
    server.kill();
    auto other = std::make_unique<redis_server>(
        redis_server_options{.arguments = {"--port", std::to_string(server.port())}});
    const background moment{[&](const std::stop_token&) {
        std::this_thread::sleep_for(30ms);
        other.reset();
    }};
    server.restart();
    EXPECT_EQ(redis_raw{server.port()}.ask({"PING"}).text(), "PONG");
}

TEST(redis_server, tells_what_it_has_done) {
    redis_server server;
    redis_raw client{server.port()};
    const auto before = server.stat("total_commands_processed");
    client.ask({"SET", "k", "v"});
    client.ask({"GET", "k"});
    EXPECT_EQ(server.stat("total_commands_processed"), before + 3) << "two, and the question";
    EXPECT_THROW(static_cast<void>(server.stat("no_such_field")), std::runtime_error);
}

TEST(redis_server, forgets_everything_when_flushed) {
    redis_server server;
    server.command({"SET", "k", "v"});
    server.flush_all();
    EXPECT_EQ(server.command({"DBSIZE"}).number(), 0);
}

TEST(redis_server, takes_arguments) {
    redis_server server{{.arguments = {"--maxmemory", "3mb", "--maxmemory-policy", "noeviction"}}};
    EXPECT_EQ(server.command({"CONFIG", "GET", "maxmemory"}).text(), "[maxmemory, 3145728]");
}

TEST(redis_server, wants_its_password_from_others_and_knows_it_itself) {
    redis_server server{{.password = "secret"}};
    redis_raw client{server.port()};
    EXPECT_THAT(client.ask({"GET", "k"}).text(), StartsWith("error: NOAUTH"));
    EXPECT_EQ(client.ask({"AUTH", "secret"}).text(), "OK");
    EXPECT_EQ(client.ask({"GET", "k"}).text(), "nil");
    EXPECT_TRUE(server.command({"GET", "k"}).is_nil());
}

TEST(redis_server, says_why_it_does_not_start) {
    try {
        const redis_server server{{.arguments = {"--no-such-argument", "1"}}};
        FAIL() << "it started";
    } catch (const std::runtime_error& thrown) {
        EXPECT_THAT(thrown.what(), HasSubstr("no-such-argument"));
    }
}

} // namespace

} // namespace holdfast::test
