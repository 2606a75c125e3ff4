// acquire, renew and release: a lock that lasts from one invocation to the next.

#include "cli/cli_fixture.hpp"

namespace holdfast::test {

namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class script_commands : public cli {};

TEST_F(script_commands, hold_a_lock_across_invocations) {
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

TEST_F(script_commands, get_a_higher_token_each_time) {
    const auto end = shell(R"sh(
        for i in 1 2 3; do
            eval "$($holdfast acquire job)" && echo $HOLDFAST_TOKEN && $holdfast release
        done | sort -c -n -u && echo ordered)sh");
    EXPECT_EQ(end.out, "ordered\n") << end.err;
}

TEST_F(script_commands, quote_names_for_eval) {
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

TEST_F(script_commands, fail_in_eval_if_the_lock_is_held) {
    const auto holder = hold("job");
    const auto end = shell("eval \"$($holdfast acquire -n job)\" || exit; echo went on");
    EXPECT_EQ(end.code, 75) << "eval of no output would succeed";
    EXPECT_EQ(end.out, "");
    EXPECT_THAT(end.err, HasSubstr("job"));
    const auto lines = shell("lock=$($holdfast acquire -n -E 9 job) || exit; echo went on");
    EXPECT_EQ(lines.code, 9);
}

TEST_F(script_commands, fail_in_eval_if_the_engine_cannot_be_used_or_an_option_is_wrong) {
    const auto unusable =
        shell("eval \"$($holdfast acquire --url embedded:/proc/x job)\" || exit; echo went on");
    EXPECT_EQ(unusable.code, 69);
    const auto wrong =
        shell("eval \"$($holdfast acquire --lease never job)\" || exit; echo went on");
    EXPECT_EQ(wrong.code, 64);
    const auto typo = shell("eval \"$($holdfast acquire --laese 1m job)\" || exit; echo went on");
    EXPECT_EQ(typo.code, 64);
    EXPECT_EQ(unusable.out + wrong.out + typo.out, "");
}

TEST_F(script_commands, says_it_in_json) {
    const auto made =
        command({"acquire", "--json", "q\"uote\nline\\\xff\xc3\xbc", "--lease", "1m"});
    EXPECT_EQ(made.code, 0);
    EXPECT_THAT(
        made.out,
        MatchesRegex(R"(\{"name": "q\\"uote\\u000aline\\\\.*", "owner": "[0-9a-f-]{36}:[0-9]+")"
                     R"(, "token": [0-9]+, "valid_for_ms": [0-9]+\}.)"));
    const auto parsed =
        sandbox_.run({"python3", "-c", "import json,sys; print(json.load(sys.stdin)['name'])"},
                     {.input = made.out});
    if (parsed.code != 127) {
        EXPECT_EQ(parsed.out, "q\"uote\nline\\\xef\xbf\xbd\xc3\xbc\n") << parsed.err;
    }
    const auto busy = command({"acquire", "--json", "-n", "q\"uote\nline\\\xff\xc3\xbc"});
    EXPECT_EQ(busy.code, 75);
    EXPECT_EQ(busy.out, "");
}

TEST_F(script_commands, renew_and_release_only_for_the_owner) {
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

TEST_F(script_commands, refuse_to_renew_or_release_the_lock_of_an_enclosing_run) {
    const std::string held_by_run = "is held by `holdfast run`, which renews and releases it";
    for (const std::string line :
         {"$holdfast renew --lease 1s", "$holdfast release",
          "$holdfast release job --owner $HOLDFAST_OWNER",
          "$holdfast run inner -- $holdfast release job --owner $HOLDFAST_OWNER"}) {
        const auto end =
            run({"-c",
                 line + "; code=$?; env -u HOLDFAST_RUN $holdfast run -nq job -- true; "
                        "echo $code $?",
                 "job"},
                {.variables = {{"holdfast", HOLDFAST_CLI}}});
        EXPECT_EQ(end.out, "64 75\n") << line;
        EXPECT_THAT(end.err, HasSubstr("\"job\" " + held_by_run)) << line;
    }
}

TEST_F(script_commands, in_a_run_renew_and_release_their_own_locks) {
    const auto end = run({"-c", R"sh(
        eval "$($holdfast acquire other)" && $holdfast renew && $holdfast release)sh",
                          "job"},
                         {.variables = {{"holdfast", HOLDFAST_CLI}}});
    EXPECT_EQ(end.code, 0) << end.err;
}

TEST_F(script_commands, do_not_keep_a_lock_that_they_cannot_print) {
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

TEST_F(script_commands, refuse_max_hold_because_renew_does_not_know_it) {
    const auto wrong = command({"acquire", "--max-hold", "1m", "job"});
    EXPECT_EQ(wrong.code, 64);
    EXPECT_THAT(wrong.err, HasSubstr("--max-hold"));
    EXPECT_THAT(wrong.err, HasSubstr("use --lease"));
    EXPECT_TRUE(is_free("job"));
}

TEST_F(script_commands, without_a_release_free_the_lock_when_its_lease_expires) {
    const stopwatch watch;
    EXPECT_EQ(command({"acquire", "job", "--lease", "1500ms"}).code, 0);
    const auto busy = run({"-nq", "job", "--", "true"});
    EXPECT_EQ(busy.code, watch.elapsed() < 1500ms ? 75 : busy.code);
    EXPECT_EQ(run({"-w", "30s", "job", "--", "true"}).code, 0);
    EXPECT_GE(watch.elapsed(), 1400ms);
}

TEST_F(script_commands, keep_the_lock_if_renewed_in_time_and_not_if_renewed_too_late) {
    const auto end = shell(R"sh(
        eval "$($holdfast acquire job --lease 2s)" || exit 10
        for i in 1 2 3; do sleep 0.8; $holdfast renew --lease 2s || exit 11; done
        $holdfast run -nq job -- true; [ $? = 75 ] || exit 12
        sleep 2.2
        $holdfast renew --lease 2s; [ $? = 1 ] || exit 13)sh");
    EXPECT_EQ(end.code, 0) << end.err;
}

TEST_F(script_commands, share_a_lock_or_take_permits_as_run_does) {
    EXPECT_EQ(command({"acquire", "--shared", "r"}).code, 0);
    EXPECT_EQ(command({"acquire", "--shared", "-n", "r"}).code, 0);
    EXPECT_EQ(command({"acquire", "--exclusive", "-n", "r"}).code, 75);
    EXPECT_EQ(command({"acquire", "--limit", "2", "--permits", "2", "p"}).code, 0);
    EXPECT_EQ(command({"acquire", "--limit", "2", "-n", "p"}).code, 75);
}

TEST_F(script_commands, do_not_grant_the_lock_to_a_killed_waiter) {
    const auto holder = command({"acquire", "job", "--lease", "1m"});
    auto dead = sandbox_.start(holdfast_words({"acquire", "job", "--lease", "1m"}));
    ASSERT_TRUE(eventually([&] { return has_waiters("job", 1); }));
    dead.signal(SIGKILL);
    EXPECT_EQ(dead.wait().code, 137);
    const auto start = holder.out.find("HOLDFAST_OWNER='") + 16;
    const auto owner = holder.out.substr(start, holder.out.find('\'', start) - start);
    EXPECT_EQ(command({"release", "job", "--owner", owner}).code, 0);
    EXPECT_EQ(run({"-w", "30s", "job", "--", "true"}).code, 0);
}

} // namespace

} // namespace holdfast::test
