// The command on locks of foreign layouts, which the URL selects.

#include "cli/cli_fixture.hpp"
#include "support/redis_server.hpp"

#if HOLDFAST_WITH_REDIS

namespace holdfast::test {

namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

class cli_layouts : public cli {
protected:
    [[nodiscard]] words with_url(const std::string& query, words rest) const {
        rest.insert(rest.begin(), {"--url", server_.url() + query});
        return rest;
    }
    redis_server server_;
};

TEST_F(cli_layouts, plain_sets_the_key_and_has_no_token) {
    const auto end =
        run(with_url("?layout=plain", {"job", "--", "sh", "-c",
                                       "echo \"token:$HOLDFAST_TOKEN.\"; redis-cli -p " +
                                           std::to_string(server_.port()) + " get job"}));
    EXPECT_EQ(end.code, 0) << end.err;
    EXPECT_THAT(end.out, AllOf(HasSubstr("token:."), HasSubstr("-"), HasSubstr(":1")));
    EXPECT_TRUE(server_.command({"GET", "job"}).is_nil());
}

TEST_F(cli_layouts, plain_is_busy_while_the_key_exists) {
    server_.command({"SET", "job", "another", "PX", "60000"});
    EXPECT_EQ(run(with_url("?layout=plain", {"-nq", "job", "--", "true"})).code, 75);
}

TEST_F(cli_layouts, print_only_what_is_known_of_a_foreign_holder) {
    server_.command({"SET", "job", "python\n1", "PX", "60000"});
    const auto end = run(with_url("?layout=plain", {"-nv", "job", "--", "true"}));
    EXPECT_EQ(end.code, 75);
    EXPECT_THAT(end.err, HasSubstr("held by python\\x0a1 for another 59"));
    EXPECT_THAT(end.err, Not(AnyOf(HasSubstr("pid"), HasSubstr("queue"))));
    server_.command({"PERSIST", "job"});
    EXPECT_THAT(run(with_url("?layout=plain", {"-nv", "job", "--", "true"})).err,
                HasSubstr("(it has no expiry"));
}

TEST_F(cli_layouts, url_options_without_effect_are_refused) {
    for (const std::string option : {"key_prefix=lock:", "fencing=yes", "sharded=yes"}) {
        const auto end = run(with_url("?" + option, {"job", "--", "true"}));
        EXPECT_EQ(end.code, 64) << option;
        EXPECT_THAT(end.err, HasSubstr("layout=")) << option;
    }
}

TEST_F(cli_layouts, a_script_can_acquire_and_release_redisson) {
    sandbox_.write("url", server_.url() + "?layout=redisson&fencing=yes");
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

TEST_F(cli_layouts, a_second_release_exits_with_0) {
    sandbox_.write("script", R"sh(
        eval "$($holdfast acquire job)" || exit 10
        $holdfast release || exit 11
        $holdfast release; echo $?
        $holdfast run job -- true || exit 12
        $holdfast release; echo $?)sh");
    const auto codes_at = [&](const std::string& url) {
        return shell(". ./script", {.variables = {{"HOLDFAST_URL", url}}});
    };
    const auto end = codes_at(sandbox_.url());
    EXPECT_EQ(end.out, "0\n1\n");
    EXPECT_THAT(end.err, HasSubstr("its lease expired, or it was released or broken"));
    EXPECT_EQ(codes_at(server_.url()).out, "0\n1\n");
    for (const std::string layout : {"plain", "redisson"}) {
        EXPECT_EQ(codes_at(server_.url() + "?layout=" + layout).out.substr(0, 2), "0\n") << layout;
    }
}

TEST_F(cli_layouts, a_missing_token_is_null_in_json) {
    const auto end =
        command({"acquire", "--json", "--url", server_.url() + "?layout=plain", "job"});
    EXPECT_EQ(end.code, 0) << end.err;
    EXPECT_THAT(end.out, HasSubstr("\"token\": null"));
}

TEST_F(cli_layouts, a_failed_release_names_the_lock_and_the_server) {
    const auto port = std::to_string(server_.port());
    const auto end =
        run(with_url("", {"-q", "job", "--", "redis-cli", "-p", port, "shutdown", "nosave"}));
    EXPECT_THAT(end.err, AllOf(HasSubstr("\"job\" could not be released ("), HasSubstr(port),
                               HasSubstr("it stays taken until the lease ends, in about 2"),
                               Not(HasSubstr("release()")), Not(HasSubstr("may or may not"))));
    EXPECT_EQ(end.err.find("\"job\""), end.err.rfind("\"job\"")) << "once is enough";
    const auto late = command({"release", "--url", server_.url(), "script's", "--owner",
                               "00000000-0000-4000-8000-000000000000:1"});
    EXPECT_EQ(late.code, 69);
    EXPECT_THAT(late.err, AllOf(HasSubstr("\"script's\" could not be released"), HasSubstr(port)));
}

} // namespace

} // namespace holdfast::test

#endif
