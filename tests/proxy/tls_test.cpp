// The proxy forwards TLS without understanding it, and can cut it.

#include "holdfast/net/stream.hpp"
#include "proxy/proxy.hpp"
#include "support/net_driver.hpp"
#include "support/scratch_folder.hpp"
#include "support/tls_server.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace holdfast::test {

namespace {

TEST(proxy_tls, goes_through_and_can_be_cut) {
    const scratch_folder folder;
    tls_authority authority{folder.path()};
    const redis_server server{tls_server(authority)};
    proxy middle{server.port()};
    const auto client =
        net::stream::start({.host = "127.0.0.1",
                            .port = middle.port(),
                            .tls = net::tls_options{.ca_file = authority.ca_file()}});
    open(*client);
    constexpr std::string_view answer = "+PONG\r\n";
    write_all(*client, "PING\r\n");
    EXPECT_EQ(read_some(*client, answer.size()), answer) << describe(*client);
    EXPECT_EQ(middle.counts().requests, 0U) << "it cannot tell requests";
    middle.cut();
    EXPECT_EQ(read_to_end(*client), "");
    EXPECT_EQ(client->state(), net::stream_state::failed);
}

} // namespace

} // namespace holdfast::test
