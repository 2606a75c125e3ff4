// acquire, renew and release: a lock that lasts from one invocation to the next.

#include "cli/cli.hpp"

namespace holdfast::test {

namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class script : public cli {};

TEST_F(script, holds_a_lock_across_invocations) {
    const auto end = shell(R"sh(
        eval "$($holdfast acquire job --lease 1m)" || exit 10
        $holdfast run -nq job -- true; [ $? = 75 ] || exit 11
        $holdfast renew --lease 2m || exit 12
        echo "$HOLDFAST_NAME $HOLDFAST_TOKEN"
        $holdfast release || exit 13
        $holdfast run -n job -- true || exit 14
        $holdfast release 2> why; [ $? = 1 ] || exit 15
        cat why)sh");
    EXPECT_EQ(end.code, 0) << end.err;
    EXPECT_THAT(end.out, MatchesRegex("job [0-9]+\nholdfast: .*not held.*\n"));
}

TEST_F(script, gets_a_higher_token_each_time) {
    const auto end = shell(R"sh(
        for i in 1 2 3; do
            eval "$($holdfast acquire job)" && echo $HOLDFAST_TOKEN && $holdfast release
        done | sort -c -n -u && echo ordered)sh");
    EXPECT_EQ(end.out, "ordered\n") << end.err;
}

TEST_F(script, names_of_all_kinds_survive_eval) {
    const auto end = shell(R"sh(
        for name in "it's" 'two
lines' '$(touch danger)' '`touch danger`' 'a"b' ' ' '\' "';touch danger;'"; do
            eval "$($holdfast acquire "$name")" || exit 10
            [ "$HOLDFAST_NAME" = "$name" ] || exit 11
            $holdfast run -nq "$name" -- true; [ $? = 75 ] || exit 12
            $holdfast release || exit 13
        done
        [ ! -e danger ])sh");
    EXPECT_EQ(end.code, 0) << end.err;
}

TEST_F(script, stops_if_the_lock_is_held) {
    const auto holder = hold("job");
    const auto end = shell("eval \"$($holdfast acquire -n job)\" || exit; echo went on");
    EXPECT_EQ(end.code, 75) << "eval of nothing is a success, so there must be something";
    EXPECT_EQ(end.out, "");
    EXPECT_THAT(end.err, HasSubstr("job"));
    const auto lines = shell("lock=$($holdfast acquire -n -E 9 job) || exit; echo went on");
    EXPECT_EQ(lines.code, 9);
}

TEST_F(script, stops_if_the_engine_cannot_be_used_or_the_line_is_wrong) {
    const auto nowhere =
        shell("eval \"$($holdfast acquire --url embedded:/proc/x job)\" || exit; echo went on");
    EXPECT_EQ(nowhere.code, 69);
    const auto wrong =
        shell("eval \"$($holdfast acquire --lease never job)\" || exit; echo went on");
    EXPECT_EQ(wrong.code, 64);
    const auto typo = shell("eval \"$($holdfast acquire --laese 1m job)\" || exit; echo went on");
    EXPECT_EQ(typo.code, 64);
    EXPECT_EQ(nowhere.out + wrong.out + typo.out, "");
}

TEST_F(script, says_it_in_json) {
    const auto made =
        command({"acquire", "--json", "q\"uote\nline\\\xff\xc3\xbc", "--lease", "1m"});
    EXPECT_EQ(made.code, 0);
    EXPECT_THAT(
        made.out,
        MatchesRegex(R"(\{"name": "q\\"uote\\u000aline\\\\.*", "owner": "[0-9a-f-]{36}:[0-9]+")"
                     R"(, "token": [0-9]+, "valid_for_ms": [0-9]+\}.)"));
    const auto parsed =
        here.run({"python3", "-c", "import json,sys; print(json.load(sys.stdin)['name'])"},
                 {.input = made.out});
    if (parsed.code != 127) {
        EXPECT_EQ(parsed.out, "q\"uote\nline\\\xef\xbf\xbd\xc3\xbc\n") << parsed.err;
    }
    const auto busy = command({"acquire", "--json", "-n", "q\"uote\nline\\\xff\xc3\xbc"});
    EXPECT_EQ(busy.code, 75);
    EXPECT_EQ(busy.out, "");
}

TEST_F(script, only_the_owner_renews_and_releases) {
    const auto made = command({"acquire", "job"});
    EXPECT_EQ(made.code, 0);
    const std::string other = "00000000-0000-4000-8000-000000000000:1";
    EXPECT_EQ(command({"release", "job", "--owner", other}).code, 1);
    EXPECT_EQ(command({"renew", "job", "--owner", other}).code, 1);
    EXPECT_EQ(run({"-nq", "job", "--", "true"}).code, 75);
    EXPECT_EQ(command({"release"}).code, 64);
    EXPECT_EQ(command({"release", "job"}).code, 64);
    const auto start = made.out.find("HOLDFAST_OWNER='") + 16;
    const auto owner = made.out.substr(start, made.out.find('\'', start) - start);
    EXPECT_EQ(command({"release", "job", "--owner", owner}).code, 0);
    EXPECT_TRUE(is_free("job"));
}

TEST_F(script, neither_renews_nor_releases_the_lock_of_the_run_around_it) {
    const std::string held_by_run = "is held by `holdfast run`, which renews and releases it";
    for (const std::string line :
         {"$holdfast renew --lease 1s", "$holdfast release",
          "$holdfast release job --owner $HOLDFAST_OWNER",
          "$holdfast run inner -- $holdfast release job --owner $HOLDFAST_OWNER"}) {
        const auto end =
            run({"-c", line + "; code=$?; $holdfast run -nq job -- true; echo $code $?", "job"},
                {.variables = {{"holdfast", HOLDFAST_CLI}}});
        EXPECT_EQ(end.out, "64 75\n") << line;
        EXPECT_THAT(end.err, HasSubstr("\"job\" " + held_by_run)) << line;
    }
}

TEST_F(script, in_a_run_renews_and_releases_what_it_acquired_itself) {
    const auto end = run({"-c", R"sh(
        eval "$($holdfast acquire other)" && $holdfast renew && $holdfast release)sh",
                          "job"},
                         {.variables = {{"holdfast", HOLDFAST_CLI}}});
    EXPECT_EQ(end.code, 0) << end.err;
}

TEST_F(script, that_cannot_be_told_of_its_lock_does_not_keep_it) {
    for (const std::string line :
         {"$holdfast acquire job > /dev/full", "$holdfast acquire --json job > /dev/full",
          "$holdfast acquire job >&-", "$holdfast acquire --json job <&- >&-",
          "mkfifo pipe; exec 4<>pipe 5>pipe 4<&-; $holdfast acquire job >&5"}) {
        const auto end = shell(line);
        EXPECT_EQ(end.code, 70) << line << end.err;
        EXPECT_THAT(end.err, HasSubstr("\"job\"")) << line;
        EXPECT_TRUE(is_free("job")) << line;
    }
}

TEST_F(script, cannot_ask_for_a_limit_that_renew_would_not_keep) {
    const auto wrong = command({"acquire", "--max-hold", "1m", "job"});
    EXPECT_EQ(wrong.code, 64);
    EXPECT_THAT(wrong.err, HasSubstr("--max-hold"));
    EXPECT_THAT(wrong.err, HasSubstr("give --lease"));
    EXPECT_TRUE(is_free("job"));
}

TEST_F(script, that_forgets_to_release_frees_the_lock_with_its_lease) {
    const stopwatch watch;
    EXPECT_EQ(command({"acquire", "job", "--lease", "1500ms"}).code, 0);
    const auto busy = run({"-nq", "job", "--", "true"});
    EXPECT_EQ(busy.code, watch.elapsed() < 1500ms ? 75 : busy.code);
    EXPECT_EQ(run({"-w", "30s", "job", "--", "true"}).code, 0);
    EXPECT_GE(watch.elapsed(), 1400ms);
}

TEST_F(script, renewed_in_time_keeps_it_and_renewed_too_late_does_not) {
    const auto end = shell(R"sh(
        eval "$($holdfast acquire job --lease 2s)" || exit 10
        for i in 1 2 3; do sleep 0.8; $holdfast renew --lease 2s || exit 11; done
        $holdfast run -nq job -- true; [ $? = 75 ] || exit 12
        sleep 2.2
        $holdfast renew --lease 2s; [ $? = 1 ] || exit 13)sh");
    EXPECT_EQ(end.code, 0) << end.err;
}

TEST_F(script, shares_a_lock_or_takes_permits_as_run_does) {
    EXPECT_EQ(command({"acquire", "--shared", "r"}).code, 0);
    EXPECT_EQ(command({"acquire", "--shared", "-n", "r"}).code, 0);
    EXPECT_EQ(command({"acquire", "--exclusive", "-n", "r"}).code, 75);
    EXPECT_EQ(command({"acquire", "--limit", "2", "--permits", "2", "p"}).code, 0);
    EXPECT_EQ(command({"acquire", "--limit", "2", "-n", "p"}).code, 75);
}

TEST_F(script, a_killed_waiter_is_not_given_the_lock) {
    const auto holder = command({"acquire", "job", "--lease", "1m"});
    auto dead = here.start(holdfast_words({"acquire", "job", "--lease", "1m"}));
    ASSERT_TRUE(eventually([&] { return waiters_are("job", 1); }));
    dead.signal(SIGKILL);
    EXPECT_EQ(dead.wait().code, 137);
    const auto start = holder.out.find("HOLDFAST_OWNER='") + 16;
    const auto owner = holder.out.substr(start, holder.out.find('\'', start) - start);
    EXPECT_EQ(command({"release", "job", "--owner", owner}).code, 0);
    EXPECT_EQ(run({"-w", "30s", "job", "--", "true"}).code, 0);
}

} // namespace

} // namespace holdfast::test
