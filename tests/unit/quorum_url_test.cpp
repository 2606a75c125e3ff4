// The URLs of quorums: what is wrong with one, and with which of its nodes.

#include "holdfast/engine/factory.hpp"

#include <holdfast/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#if HOLDFAST_WITH_REDIS

namespace {

using holdfast::errc;
using holdfast::layout;
using holdfast::primitive;
using testing::HasSubstr;
namespace engine = holdfast::engine;

std::unique_ptr<engine::engine> make(const std::string& url) {
    return engine::make_engine(engine::url::parse(url), engine::this_process());
}

TEST(quorum_url, accepts_any_number_of_nodes_up_to_the_limit) {
    std::string hosts = "h1";
    for (int count = 2; count <= 15; ++count) {
        EXPECT_NO_THROW(make("redlock://" + hosts)) << hosts;
        hosts += ",h" + std::to_string(count);
    }
    EXPECT_NO_THROW(make("redlock://" + hosts));
    EXPECT_THROW(make("redlock://" + hosts + ",h16"), holdfast::error);
}

TEST(quorum_url, says_what_is_wrong_and_in_which_node) {
    const std::pair<const char*, const char*> cases[] = {
        {"redlock://", "host: missing; write for example redlock://host1,host2,host3"},
        {"redlock://a,,b", "host: missing"},
        {"redlock:a,b,c", "host: missing"},
        {"redlock://a,b,a", "node a is there twice"},
        {"redlock://a,b:port,c", "node b:port: port: must be a number"},
        {"redlock://user:secret@a,b:0,c", "node b:0: port: must be a number"},
        {"redlock://a,b:1;c:2", "node b:1;c:2: host: "},
        {"redlock://a,b?bogus=1", "'bogus' is not known to redlock: known keys: node_timeout"},
        {"redlock://a,b?replicas=1", "'replicas' is not known to redlock"},
        {"redlock://a,b?max_lease=2x", "max_lease: must be a duration from 100ms to 24h"},
        {"redlock://a,b?rejoin_delay=maybe", "rejoin_delay: must be yes or no"},
        {"redlock://a,b?retry_min=9&retry_max=3", "retry_min: must not be above retry_max"},
        {"redlock://a,b?layout=redisson", "layout: redlock: has native and plain"},
        {"redlock://a,b?fencing=yes", "fencing: redlock: has tokens in layout native"},
        {"quorum:", "write quorum:?node=URL&node=URL"},
        {"quorum:?node=redlock://a,b", "a quorum is no node of another"},
        {"quorum:?node=redis://a&node=redis://b?x=1", "node b: query: 'x' is not known to redis"},
    };
    for (const auto& [url, wrong] : cases) {
        try {
            (void)make(url);
            ADD_FAILURE() << url;
        } catch (const holdfast::error& thrown) {
            EXPECT_EQ(thrown.code(), errc::invalid_url) << url;
            EXPECT_THAT(thrown.what(), HasSubstr(wrong)) << url;
            EXPECT_THAT(thrown.what(), testing::Not(HasSubstr("secret"))) << url;
        }
    }
}

TEST(quorum_url, never_quotes_a_password_also_where_it_is_misspelt) {
    try {
        (void)make("quorum:?node=is:redis://user:secret@a");
        ADD_FAILURE();
    } catch (const holdfast::error& thrown) {
        EXPECT_EQ(thrown.code(), errc::unsupported);
        EXPECT_THAT(thrown.what(), HasSubstr("node is:a: there is no engine 'is'"));
    }
}

TEST(quorum_url, names_the_layout_that_lacks_a_capability) {
    const auto label = [](const std::string& url) {
        return std::string{make(url)->caps_in(primitive::mutex, {}).label};
    };
    EXPECT_EQ(label("redlock://a,b,c"), "a quorum");
    EXPECT_EQ(label("redlock://a,b,c?layout=plain"), "a quorum in layout plain");
}

} // namespace

#endif
