// holdfast events: grants and ends of holds, by comparison.

#include "cli/operator_fixture.hpp"

#include <algorithm>
#include <csignal>
#include <cstddef>

namespace holdfast::test {

namespace {

using ::testing::HasSubstr;

class events : public operator_commands {
protected:
    /// Starts it, and waits until it has seen what is held.
    running_command follow(const words& options = {}) {
        words line{"events", "--json", "--interval", "20ms"};
        line.insert(line.end(), options.begin(), options.end());
        auto out = start_at("", line);
        EXPECT_TRUE(eventually([&] { return out.err().find("20ms") != std::string::npos; }))
            << out.err();
        return out;
    }
    /// Waits for that many whole lines, and returns `event name` of each.
    std::string lines_of(const running_command& follower, std::ptrdiff_t count) {
        EXPECT_TRUE(eventually([&] {
            const auto out = follower.out();
            return std::count(out.begin(), out.end(), '\n') >= count;
        })) << follower.out();
        return of_json(follower.out(), "each['event'] + ' ' + each['name']");
    }
};

TEST_F(events, reports_grants_and_releases) {
    auto before = hold_at("", "before");
    auto follower = follow();
    EXPECT_THAT(follower.err(), HasSubstr("a hold that is shorter than that is not seen"));
    auto job = hold_at("", "job", {"--note", "by Ann"});
    EXPECT_EQ(lines_of(follower, 1), "granted job\n") << "what was held before is no event";
    EXPECT_EQ(of_json(follower.out(), "each['note'], each['token'] > 0"), "('by Ann', True)\n");
    job.signal(SIGTERM);
    EXPECT_EQ(lines_of(follower, 2), "granted job\nended job\n");
    before.signal(SIGTERM);
    EXPECT_EQ(lines_of(follower, 3), "granted job\nended job\nended before\n");
}

TEST_F(events, report_the_end_of_a_hold_before_the_grant_that_follows_it) {
    auto job = hold_at("", "job");
    auto follower = follow();
    auto next = start_at("", {"run", "job", "--", "sleep", "60"});
    ASSERT_TRUE(eventually([&] {
        return of_json(command({"show", "--json", "job"}).out, "len(each['waiters'])") == "1\n";
    }));
    job.signal(SIGTERM);
    EXPECT_EQ(lines_of(follower, 2), "ended job\ngranted job\n");
    next.signal(SIGTERM);
}

TEST_F(events, tells_an_expired_lease_from_a_release) {
    auto follower = follow();
    EXPECT_EQ(command({"acquire", "--json", "--lease", "500ms", "job"}).code, 0);
    EXPECT_EQ(lines_of(follower, 2), "granted job\nexpired job\n");
}

TEST_F(events, reports_a_hold_that_rests_as_ended_once) {
    auto follower = follow();
    EXPECT_EQ(run({"--min-hold", "1500ms", "job", "--", "sleep", "0.3"}).code, 0);
    EXPECT_EQ(lines_of(follower, 2), "granted job\nended job\n");
    ASSERT_TRUE(eventually([&] { return command({"show", "job"}).code == 1; }));
    EXPECT_EQ(lines_of(follower, 2), "granted job\nended job\n");
}

TEST_F(events, say_how_long_an_ended_hold_lasted_at_most_and_what_ran) {
    auto follower = start_at("", {"events", "--json", "--interval", "1s"});
    ASSERT_TRUE(eventually([&] { return follower.err().find("1s") != std::string::npos; }));
    auto job = hold_at("", "job");
    EXPECT_EQ(lines_of(follower, 1), "granted job\n");
    std::this_thread::sleep_for(500ms); // no walk sees this part of the hold
    job.signal(SIGTERM);
    EXPECT_EQ(lines_of(follower, 2), "granted job\nended job\n");
    const std::string since =
        "datetime.datetime.fromisoformat(each['since'].replace('Z', '+00:00'))";
    const std::string time = "datetime.datetime.fromisoformat(each['time'].replace('Z', '+00:00'))";
    EXPECT_EQ(of_json(follower.out(), "(lambda datetime: abs((" + time + " - " + since +
                                          ").total_seconds() * 1000 - each['held_ms']) < 200)"
                                          "(__import__('datetime'))"),
              "True\nTrue\n")
        << follower.out();
    EXPECT_EQ(of_json(follower.out(), "each['command'] is not None"), "True\nTrue\n")
        << follower.out();
}

TEST_F(events, of_a_pattern_leave_out_the_others) {
    auto follower = follow({"stock:*"});
    auto other = hold_at("", "order:1");
    auto job = hold_at("", "stock:1");
    EXPECT_EQ(lines_of(follower, 1), "granted stock:1\n");
}

TEST_F(events, are_lines_for_people_without_json) {
    auto follower = start_at("", {"events", "--interval", "20ms"});
    ASSERT_TRUE(eventually([&] { return follower.err().find("20ms") != std::string::npos; }));
    auto job = hold_at("", "job");
    EXPECT_TRUE(eventually([&] { return !follower.out().empty(); }));
    EXPECT_THAT(follower.out(), ::testing::ContainsRegex("Z granted \"job\" pid [0-9]+ on "));
    job.signal(SIGTERM);
    EXPECT_TRUE(eventually([&] { return follower.out().find("ended") != std::string::npos; }));
    EXPECT_THAT(follower.out(), ::testing::ContainsRegex("Z ended \"job\" .* for at most "));
    follower.signal(SIGINT);
    EXPECT_EQ(follower.wait().code, 130);
}

} // namespace

} // namespace holdfast::test
