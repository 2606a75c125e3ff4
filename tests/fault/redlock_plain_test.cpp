// A quorum of real servers in the layout that it shares with other Redlock libraries.
#include "fault/redlock_fixture.hpp"
#include "proxy/proxy.hpp"

namespace holdfast::test {
namespace {

class redlock_plain : public redlock_fault {
protected:
    redlock_plain() : redlock_fault{3} {}

    /// The third server answers through the proxy.
    [[nodiscard]] std::string url_with_slow_third() const {
        return "redlock://127.0.0.1:" + std::to_string(servers[0].port()) +
               ",127.0.0.1:" + std::to_string(servers[1].port()) +
               ",127.0.0.1:" + std::to_string(slow.port()) + "?layout=plain";
    }
    [[nodiscard]] bool has_key(std::size_t server) {
        return servers[server].command({"EXISTS", "stock"}).number() != 0;
    }

    proxy slow{servers[2].port()};
};

TEST_F(redlock_plain, a_released_lock_asks_a_slow_server_for_nothing_more) { // P8
    client fleet{url_with_slow_third()};
    mutex stock{fleet, "stock"};
    {
        const auto held = stock.acquire();
        ASSERT_TRUE(eventually([&] { return has_key(2); })) << "it has joined";
    }
    ASSERT_TRUE(eventually([&] { return !has_key(2); }));

    servers[2].command({"SET", "stock", "another's"});
    slow.hold_answers({.with = "stock"});
    const auto scripts = servers[2].calls_of("evalsha");
    { const auto held = stock.acquire(); } // by two votes; the refusal of the third is under way
    ASSERT_TRUE(eventually([&] { return servers[2].calls_of("evalsha") > scripts; }))
        << "the withdrawal has arrived";
    servers[2].command({"DEL", "stock"});
    slow.release();
    EXPECT_TRUE(throughout(scaled(500ms), [&] { return !has_key(2); }))
        << "a vote that nobody gives back";
    EXPECT_FALSE(has_key(0));
    EXPECT_FALSE(has_key(1));
}

} // namespace
} // namespace holdfast::test
