// `holdfast run` with several names: all or none.

#include "cli/cli_fixture.hpp"

namespace holdfast::test {

namespace {

using ::testing::HasSubstr;

class run_several : public cli {};

TEST_F(run_several, holds_all_names_while_the_command_runs) {
    auto holder = start(
        {"b", "a", "b", "--", "sh", "-c", "echo held; until [ -e end ]; do sleep 0.01; done"});
    ASSERT_TRUE(eventually([&] { return holder.out() == "held\n"; }));
    EXPECT_FALSE(is_free("a"));
    EXPECT_FALSE(is_free("b"));
    sandbox_.write("end", "");
    EXPECT_EQ(holder.wait().code, 0);
    EXPECT_TRUE(is_free("a"));
    EXPECT_TRUE(is_free("b"));
}

TEST_F(run_several, holds_none_if_one_is_busy_and_names_that_one) {
    const auto holder = hold("b");
    const auto end = run({"-n", "a", "b", "c", "--", "echo", "ran"});
    EXPECT_EQ(end.code, 75);
    EXPECT_EQ(end.out, "");
    EXPECT_THAT(end.err, HasSubstr("\"b\" is held by pid"));
    EXPECT_TRUE(is_free("a"));
    EXPECT_TRUE(is_free("c"));
}

TEST_F(run_several, waits_for_all_and_never_deadlocks) {
    const std::string add = "n=$(cat sum); sleep 0.01; echo $((n + 1)) > sum";
    sandbox_.write("sum", "0\n");
    std::vector<running_command> others;
    for (const auto& names :
         std::vector<test::words>{{"a", "b"}, {"b", "a"}, {"c", "b", "a"}, {"b", "c"}}) {
        test::words line{"-q", "-c", add};
        line.insert(line.end(), names.begin(), names.end());
        others.push_back(start(line));
    }
    for (auto& other : others) { EXPECT_EQ(other.wait().code, 0); }
    EXPECT_EQ(sandbox_.content("sum"), "4\n");
}

TEST_F(run_several, gives_the_command_a_line_for_each_name) {
    const auto end = run({"b", "a 1", "--", "sh", "-c",
                          "echo \"$HOLDFAST_NAME\"; echo \"$HOLDFAST_TOKEN\" | wc -l;"
                          "echo \"$HOLDFAST_OWNER\" | sort -u | wc -l"});
    EXPECT_EQ(end.out, "a 1\nb\n2\n2\n") << end.err;
}

TEST_F(run_several, ends_the_command_when_one_of_them_is_broken) {
    auto holder = start({"a", "b", "--", "sh", "-c", "echo held; sleep 30"});
    ASSERT_TRUE(eventually([&] { return holder.out() == "held\n"; }));
    EXPECT_EQ(command({"break", "--yes", "b"}).code, 0);
    const auto end = holder.wait();
    EXPECT_EQ(end.code, 76);
    EXPECT_THAT(end.err, HasSubstr("\"a\", \"b\": the lock \"b\" was lost (it was broken"));
    EXPECT_EQ(run({"-q", "-w", "5s", "a", "--", "true"}).code, 0);
}

TEST_F(run_several, names_the_lock_that_was_lost_and_the_tokens_in_json) {
    auto holder = start({"--log", "json", "a", "b", "--", "sh", "-c", "echo held; sleep 30"});
    ASSERT_TRUE(eventually([&] { return holder.out() == "held\n"; }));
    EXPECT_EQ(command({"break", "--yes", "b"}).code, 0);
    EXPECT_THAT(holder.wait().err,
                testing::ContainsRegex("\"locks\":\\[\"a\",\"b\"\\],\"event\":\"lost\","
                                       "\"tokens\":\\[[0-9]+,[0-9]+\\],\"lost_lock\":\"b\","
                                       "\"reason\":\"broken\",\"exit_code\":76"));
}

TEST_F(run_several, says_whom_it_waits_for) {
    const auto holder = hold("b");
    auto waiter = start({"-v", "-w", "20s", "a", "b", "--", "true"});
    EXPECT_TRUE(eventually([&] {
        return waiter.err().find("waiting for \"b\"") != std::string::npos;
    })) << waiter.err();
    EXPECT_THAT(waiter.err(), HasSubstr(" waiting in all\n")) << "this is no place in the queue";
}

TEST_F(run_several, refuses_modes_and_options_that_are_for_one_name) {
    const auto shared = run({"--shared", "a", "b", "--", "true"});
    EXPECT_EQ(shared.code, 64);
    EXPECT_THAT(shared.err, HasSubstr("--shared, --exclusive and --limit are for one NAME"));
    words many{"-n"};
    for (int i = 0; i < 65; ++i) { many.push_back(std::to_string(i)); }
    many.insert(many.end(), {"--", "true"});
    const auto too_many = run(many);
    EXPECT_EQ(too_many.code, 64);
    EXPECT_THAT(too_many.err, HasSubstr("it must have 1 to 64"));
    const auto empty = run({"a", "", "--", "true"});
    EXPECT_EQ(empty.code, 64);
    EXPECT_THAT(empty.err, HasSubstr("empty"));
    const auto option = run({"a", "--bogus", "b", "--", "true"});
    EXPECT_EQ(option.code, 64);
    EXPECT_THAT(option.err, HasSubstr("'--bogus' is no option of run"));
}

} // namespace

} // namespace holdfast::test
