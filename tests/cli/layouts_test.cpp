// The command on a lock that others share: the layout is in the URL.

#include "cli/cli.hpp"
#include "support/redis_server.hpp"

#if HOLDFAST_WITH_REDIS

namespace holdfast::test {

namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

class layouts : public cli {
protected:
    [[nodiscard]] words at(const std::string& query, words rest) const {
        rest.insert(rest.begin(), {"--url", server_.url() + query});
        return rest;
    }
    redis_server server_;
};

TEST_F(layouts, plain_holds_what_others_see_and_has_no_token) {
    const auto end = run(at("?layout=plain", {"job", "--", "sh", "-c",
                                              "echo \"token:$HOLDFAST_TOKEN.\"; redis-cli -p " +
                                                  std::to_string(server_.port()) + " get job"}));
    EXPECT_EQ(end.code, 0) << end.err;
    EXPECT_THAT(end.out, AllOf(HasSubstr("token:."), HasSubstr("-"), HasSubstr(":1")));
    EXPECT_TRUE(server_.command({"GET", "job"}).is_nil());
}

TEST_F(layouts, plain_is_refused_while_another_holds_it) {
    server_.command({"SET", "job", "another", "PX", "60000"});
    EXPECT_EQ(run(at("?layout=plain", {"-nq", "job", "--", "true"})).code, 75);
}

TEST_F(layouts, say_of_another_only_what_is_known) {
    server_.command({"SET", "job", "python\n1", "PX", "60000"});
    const auto end = run(at("?layout=plain", {"-nv", "job", "--", "true"}));
    EXPECT_EQ(end.code, 75);
    EXPECT_THAT(end.err, HasSubstr("held by python\\x0a1 for another 59"));
    EXPECT_THAT(end.err, Not(AnyOf(HasSubstr("pid"), HasSubstr("queue"))));
    server_.command({"PERSIST", "job"});
    EXPECT_THAT(run(at("?layout=plain", {"-nv", "job", "--", "true"})).err,
                HasSubstr("(it has no expiry"));
}

TEST_F(layouts, options_of_the_url_that_would_do_nothing_are_refused) {
    for (const std::string option : {"key_prefix=lock:", "fencing=yes", "sharded=yes"}) {
        const auto end = run(at("?" + option, {"job", "--", "true"}));
        EXPECT_EQ(end.code, 64) << option;
        EXPECT_THAT(end.err, HasSubstr("layout=")) << option;
    }
}

TEST_F(layouts, redisson_can_be_acquired_and_released_by_a_script) {
    here.write("url", server_.url() + "?layout=redisson&fencing=yes");
    const auto end = shell(R"sh(
        export HOLDFAST_URL=$(cat url)
        eval "$($holdfast acquire job)" || exit 10
        $holdfast run -nq job -- true; [ $? = 75 ] || exit 11
        $holdfast renew --lease 2m || exit 12
        echo "$HOLDFAST_TOKEN"
        $holdfast release || exit 13)sh");
    EXPECT_EQ(end.code, 0) << end.err;
    EXPECT_EQ(end.out, "1\n");
}

TEST_F(layouts, a_second_release_is_0_where_the_first_is_remembered) {
    here.write("script", R"sh(
        eval "$($holdfast acquire job)" || exit 10
        $holdfast release || exit 11
        $holdfast release; echo $?
        $holdfast run job -- true || exit 12
        $holdfast release; echo $?)sh");
    const auto codes_at = [&](const std::string& url) {
        return shell(". ./script", {.variables = {{"HOLDFAST_URL", url}}});
    };
    const auto end = codes_at(here.url());
    EXPECT_EQ(end.out, "0\n1\n");
    EXPECT_THAT(end.err, HasSubstr("its lease expired, or it was released or broken before"));
    EXPECT_EQ(codes_at(server_.url()).out, "0\n1\n");
    for (const std::string layout : {"plain", "redisson"}) {
        EXPECT_EQ(codes_at(server_.url() + "?layout=" + layout).out.substr(0, 2), "0\n") << layout;
    }
}

TEST_F(layouts, a_token_that_does_not_exist_is_null_in_json) {
    const auto end =
        command({"acquire", "--json", "--url", server_.url() + "?layout=plain", "job"});
    EXPECT_EQ(end.code, 0) << end.err;
    EXPECT_THAT(end.out, HasSubstr("\"token\": null"));
}

TEST_F(layouts, a_lock_that_could_not_be_released_is_named_with_its_server) {
    const auto port = std::to_string(server_.port());
    const auto end =
        run(at("", {"-q", "job", "--", "redis-cli", "-p", port, "shutdown", "nosave"}));
    EXPECT_THAT(end.err, AllOf(HasSubstr("\"job\" could not be released"), HasSubstr(port)));
    const auto late = command({"release", "--url", server_.url(), "script's", "--owner",
                               "00000000-0000-4000-8000-000000000000:1"});
    EXPECT_EQ(late.code, 69);
    EXPECT_THAT(late.err, AllOf(HasSubstr("\"script's\" could not be released"), HasSubstr(port)));
}

} // namespace

} // namespace holdfast::test

#endif
