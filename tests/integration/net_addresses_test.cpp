// Host names with several addresses, and lookups that take too long.

#include "holdfast/net/plain_stream.hpp"
#include "support/net_driver.hpp"
#include "support/net_listener.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <poll.h>
#include <vector>

// compiled alone: other files of the folder have helpers of the same names

namespace holdfast::test {
namespace {

using net::plain_stream;
using net::resolution;
using state = net::stream_state;

net::address address_of(const std::string& host, std::uint16_t port) {
    return net::numeric_address(host, port).value();
}

/// A lookup that finds these.
net::lookup_function finds(const std::vector<net::address>& addresses) {
    return [=](const std::string&, std::uint16_t) { return resolution{addresses, {}}; };
}

const net::endpoint by_name{.host = "name.example", .port = 1};

/// A server whose queue is full: it swallows attempts to connect.
class silent_server {
public:
    silent_server() {
        do {
            crowd_.push_back(net::begin_connection(where()));
            pollfd made{.fd = crowd_.back().socket.get(), .events = POLLOUT, .revents = 0};
            if (::poll(&made, 1, 100) == 0) { return; }
        } while (crowd_.size() < 10);
        ADD_FAILURE() << "the server's queue does not fill up";
    }
    [[nodiscard]] net::address where() const { return address_of("127.0.0.1", door_.port()); }

private:
    listener door_{"127.0.0.1", 0};
    std::vector<net::connection_attempt> crowd_;
};

TEST(net_addresses, tries_the_next_address_when_one_refuses) {
    const listener server;
    const auto port = server.port();
    const auto all = finds(
        {address_of("127.0.0.2", port), address_of("::1", port), address_of("127.0.0.1", port)});
    const auto took = quickest_of(3, [&] {
        const stopwatch clock;
        plain_stream client{by_name, all};
        open(client);
        EXPECT_EQ(describe(client), "open");
        EXPECT_TRUE(server.accept());
        return clock.elapsed();
    });
    EXPECT_LT(took, net::connector::attempt_delay) << "it waited although it knew";
}

TEST(net_addresses, tries_the_next_address_when_one_is_silent) {
    const silent_server silent;
    const listener server;
    plain_stream client{by_name, finds({silent.where(), address_of("127.0.0.1", server.port())})};
    const stopwatch clock;
    open(client);
    EXPECT_EQ(describe(client), "open");
    EXPECT_GE(clock.elapsed(), net::connector::attempt_delay);
    EXPECT_TRUE(server.accept());
}

TEST(net_addresses, goes_on_with_a_slow_address_when_the_next_one_refuses) {
    const silent_server silent;
    plain_stream client{by_name, finds({silent.where(), address_of("127.0.0.1", closed_port())})};
    open(client, 2 * net::connector::attempt_delay);
    EXPECT_EQ(describe(client), "opening: connecting");
    // The one that is left is waited for, without waking up for nothing.
    EXPECT_FALSE(is_ready(client, 10ms));
}

TEST(net_addresses, tells_of_the_server_rather_than_of_this_machine) {
    const auto no_route = address_of("255.255.255.255", 1); // the kernel itself refuses
    const auto nobody = address_of("127.0.0.1", closed_port());
    for (const auto& order : {std::vector{no_route, nobody}, std::vector{nobody, no_route}}) {
        plain_stream client{by_name, finds(order)};
        open(client);
        EXPECT_EQ(describe(client), "failed: connection refused: does the server run there?");
    }
}

TEST(net_addresses, says_why_a_lookup_failed) {
    plain_stream client{by_name, [](const std::string& host, std::uint16_t) {
                            return resolution{{}, host + " is on holiday"};
                        }};
    open(client);
    EXPECT_EQ(describe(client), "failed: name.example is on holiday");
}

TEST(net_addresses, survives_a_lookup_that_throws) {
    plain_stream client{by_name, [](const std::string&, std::uint16_t) -> resolution {
                            throw std::runtime_error{"thrown"};
                        }};
    open(client);
    EXPECT_EQ(describe(client), "failed: thrown");
}

/// A lookup that does not end before it is let go.
struct stuck_lookup {
    std::latch go{1};
    std::atomic<unsigned> begun{0};
    std::atomic<unsigned> ended{0};

    static net::lookup_function of(const std::shared_ptr<stuck_lookup>& self) {
        return [self](const std::string&, std::uint16_t) {
            ++self->begun;
            self->go.wait();
            ++self->ended;
            return resolution{{}, "too late"};
        };
    }
};

TEST(net_addresses, lets_a_stream_go_while_its_lookup_hangs) {
    const auto lookup = std::make_shared<stuck_lookup>();
    auto client = std::make_unique<plain_stream>(by_name, stuck_lookup::of(lookup));
    ASSERT_TRUE(eventually([&] { return lookup->begun == 1; }));
    EXPECT_FALSE(is_ready(*client, 0ms));
    client.reset();
    EXPECT_EQ(lookup->ended, 0U); // it did not wait
    lookup->go.count_down();
    // The thread ends, and lets go of all that it had.
    EXPECT_TRUE(eventually([&] { return lookup.use_count() == 1; }));
    EXPECT_EQ(lookup->ended, 1U);
}

TEST(net_addresses, limits_lookups_that_hang) {
    const auto lookup = std::make_shared<stuck_lookup>();
    std::vector<std::unique_ptr<plain_stream>> clients;
    for (unsigned i = 0; i < net::resolver::max_lookups; ++i) {
        clients.push_back(std::make_unique<plain_stream>(by_name, stuck_lookup::of(lookup)));
    }
    plain_stream refused{by_name, stuck_lookup::of(lookup)};
    open(refused);
    EXPECT_EQ(describe(refused),
              "failed: too many lookups of host names are running; try again later");

    lookup->go.count_down();
    for (const auto& one : clients) {
        open(*one);
        EXPECT_EQ(describe(*one), "failed: too late");
    }
    const listener server;
    plain_stream again{by_name, finds({address_of("127.0.0.1", server.port())})};
    open(again);
    EXPECT_EQ(describe(again), "open");
}

} // namespace
} // namespace holdfast::test
