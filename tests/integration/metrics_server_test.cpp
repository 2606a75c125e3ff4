// metrics_server over real sockets.

#include "support/http_get.hpp"
#include "support/timing.hpp"

#include <holdfast/holdfast.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace holdfast::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class metrics_server_test : public testing::Test {
protected:
    client fleet_{"memory:"};
    metrics_server server_{fleet_, {.address = "0"}};
};

TEST_F(metrics_server_test, listens_on_loopback_unless_an_address_is_given) {
    EXPECT_THAT(server_.address(), StartsWith("127.0.0.1:"));
    const metrics_server colon{metrics_server_options{.address = ":0"}};
    EXPECT_THAT(colon.address(), StartsWith("127.0.0.1:"));
    const metrics_server all{metrics_server_options{.address = "0.0.0.0:0"}};
    EXPECT_THAT(all.address(), StartsWith("0.0.0.0:"));
}

TEST_F(metrics_server_test, serves_the_present_numbers) {
    const auto held = mutex{fleet_, "stock"}.acquire();
    const auto first = http_get(server_.address(), "/metrics");
    EXPECT_THAT(first, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(first, HasSubstr("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
    EXPECT_THAT(first, HasSubstr("\nholdfast_holds 1\n"));
    mutex{fleet_, "other"}.acquire().release();
    EXPECT_THAT(http_get(server_.address(), "/metrics?x=1"),
                HasSubstr("\nholdfast_acquires_total{outcome=\"granted\"} 2\n"));
}

TEST_F(metrics_server_test, answers_other_requests_with_an_error_and_goes_on) {
    EXPECT_THAT(http_get(server_.address(), "/other"), StartsWith("HTTP/1.1 404 "));
    EXPECT_THAT(http_exchange_with(server_.address(), "POST /metrics HTTP/1.1\r\n\r\n"),
                StartsWith("HTTP/1.1 405 "));
    EXPECT_THAT(http_exchange_with(server_.address(), "hello\r\n\r\n"),
                StartsWith("HTTP/1.1 400 "));
    EXPECT_THAT(http_exchange_with(server_.address(), std::string(9000, 'x')),
                StartsWith("HTTP/1.1 431 "));
    const auto head = http_exchange_with(server_.address(), "HEAD /metrics HTTP/1.1\r\n\r\n");
    EXPECT_THAT(head, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_TRUE(head.ends_with("\r\n\r\n"));
    EXPECT_THAT(http_get(server_.address(), "/metrics"), HasSubstr("\nholdfast_holds 0\n"));
}

TEST_F(metrics_server_test, is_not_delayed_by_a_peer_that_sends_nothing) {
    std::vector<std::jthread> idle;
    for (int i = 0; i < 8; ++i) {
        idle.emplace_back([&] {
            EXPECT_EQ(http_exchange_with(server_.address(), "GET /metr"), "")
                << "the connection is closed after 5 s";
        });
    }
    std::this_thread::sleep_for(50ms);
    const stopwatch watch;
    EXPECT_THAT(http_get(server_.address(), "/metrics"), StartsWith("HTTP/1.1 200 "));
    EXPECT_LT(watch.elapsed(), scaled(2s));
}

TEST_F(metrics_server_test, serves_several_clients_and_forgets_those_that_are_gone) {
    metrics_server both{metrics_server_options{.address = "0"}};
    both.add(fleet_, {{"client", "fleet"}});
    std::optional<client> other{client{"memory:"}};
    both.add(*other, {{"client", "other"}});
    auto text = http_get(both.address(), "/metrics");
    EXPECT_THAT(text, HasSubstr("\nholdfast_holds{client=\"fleet\"} 0\n"));
    EXPECT_THAT(text, HasSubstr("\nholdfast_holds{client=\"other\"} 0\n"));
    other.reset();
    text = http_get(both.address(), "/metrics");
    EXPECT_THAT(text, HasSubstr("client=\"fleet\""));
    EXPECT_THAT(text, Not(HasSubstr("client=\"other\"")));
    EXPECT_THROW(both.add(fleet_, {{"a-b", "x"}}), error);
}

TEST_F(metrics_server_test, fails_with_a_text_that_names_the_address) {
    for (const std::string& address :
         {std::string{"x"}, std::string{"127.0.0.1:"}, std::string{"127.0.0.1:70000"},
          std::string{"::1:80"}, server_.address()}) {
        try {
            const metrics_server second{metrics_server_options{.address = address}};
            ADD_FAILURE() << address;
        } catch (const error& problem) {
            EXPECT_EQ(problem.code(), errc::invalid_option) << problem.what();
            EXPECT_THAT(problem.what(), HasSubstr("'" + address + "'"));
        }
    }
}

TEST_F(metrics_server_test, is_inert_in_a_forked_child) {
    auto inherited = std::make_unique<metrics_server>(metrics_server_options{.address = "0"});
    const auto child = ::fork();
    if (child == 0) {
        inherited.reset();
        ::_exit(0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_THAT(http_get(inherited->address(), "/"), StartsWith("HTTP/1.1 200 "));
}

} // namespace
} // namespace holdfast::test
