// holdfast ls and show: the table, the patterns, the order, and how they walk.

#include "cli/operator_fixture.hpp"
#include "support/redis_server.hpp"
#include "support/terminal.hpp"

#include <holdfast/holdfast.hpp>

#include <algorithm>
#include <sstream>

namespace holdfast::test {

namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ls : public operator_commands {
protected:
    /// Acquires each of the names; nothing renews or releases them.
    static void take(const std::string& url, const words& names) {
        client fleet{url};
        for (const auto& name : names) {
            mutex lock{fleet, name, {.lease = 10min, .renew = false, .detached = true}};
            lock.acquire().detach();
        }
    }
    /// The names that `ls WORDS...` prints, in its order.
    std::string names(words rest) {
        rest.insert(rest.begin(), {"ls", "--json"});
        const auto end = command(rest);
        EXPECT_EQ(end.code, 0) << end.err;
        return of_json(end.out, "each['name']");
    }
};

TEST_F(ls, aligns_its_columns) {
    take(sandbox_.url(), {"a", "a-longer-name"});
    const auto out = command({"ls"}).out;
    EXPECT_THAT(out, StartsWith("NAME           MODE       HOLDER"));
    EXPECT_THAT(out, HasSubstr("\na              exclusive  "));
    EXPECT_THAT(out, HasSubstr("\na-longer-name  exclusive  "));
    EXPECT_FALSE(has_escapes(out)) << "colours are for terminals";
    EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 3);
}

TEST_F(ls, prints_nothing_without_locks) {
    const auto end = command({"ls"});
    EXPECT_EQ(end.code, 0);
    EXPECT_EQ(end.out, "");
}

TEST_F(ls, says_on_a_terminal_that_there_are_no_locks) {
    HOLDFAST_NEEDS_TERMINAL();
    terminal screen{sandbox_, {"bash", "--norc", "--noprofile", "-i"}};
    screen.enter("'" HOLDFAST_CLI "' ls; echo end $((40 + 2))");
    ASSERT_TRUE(screen.shows("end 42")) << screen.screen();
    EXPECT_THAT(screen.screen(), HasSubstr("holdfast: no lock is held or waited for"));
    screen.enter("'" HOLDFAST_CLI "' ls --sort name 'x*'; echo end $?");
    ASSERT_TRUE(screen.shows("end 0")) << screen.screen();
    EXPECT_THAT(screen.screen(), HasSubstr("no lock that matches is held"));
    EXPECT_EQ(command({"ls"}).err, "") << "programs read stdout";
}

TEST_F(ls, patterns_select_names) {
    take(sandbox_.url(), {"stock:1", "stock:12", "order:1", "sto*"});
    EXPECT_EQ(names({"stock:*", "--sort", "name"}), "stock:1\nstock:12\n");
    EXPECT_EQ(names({"stock:?"}), "stock:1\n");
    EXPECT_EQ(names({"*:1", "--sort", "name"}), "order:1\nstock:1\n");
    EXPECT_EQ(names({"*o*k*2"}), "stock:12\n");
    EXPECT_EQ(names({"sto\\*"}), "sto*\n") << "a name, in spite of its star";
    EXPECT_EQ(names({"order:1", "no-such", "stock:1"}), "order:1\nstock:1\n");
    EXPECT_EQ(names({"o*", "stock:1?", "--sort", "name"}), "order:1\nstock:12\n");
    EXPECT_EQ(names({"no-such*"}), "");
}

TEST_F(ls, sorts_by_each_key) {
    take(sandbox_.url(), {"b"});
    std::this_thread::sleep_for(20ms);
    take(sandbox_.url(), {"a"});
    auto waiter = start({"b", "--", "true"});
    ASSERT_TRUE(eventually([&] { return has_waiters("b", 1); }));
    EXPECT_EQ(names({"--sort", "name"}), "a\nb\n");
    EXPECT_EQ(names({"--sort", "age"}), "b\na\n");
    EXPECT_EQ(names({"--sort", "waiters"}), "b\na\n");
    EXPECT_EQ(names({"--sort", "left"}), "b\na\n");
    EXPECT_EQ(names({"--sort", "token"}), "a\nb\n");
    EXPECT_EQ(command({"ls", "--sort", "colour"}).code, 64);
}

TEST_F(ls, shows_waiters_in_order_with_their_ages) {
    const auto holder = hold_at("", "job");
    const auto first = start({"--note", "first", "job", "--", "true"});
    ASSERT_TRUE(eventually([&] { return has_waiters("job", 1); }));
    const auto second = start({"--note", "second", "job", "--", "true"});
    ASSERT_TRUE(eventually([&] { return has_waiters("job", 2); }));
    const auto json = command({"show", "--json", "job"});
    EXPECT_EQ(of_json(json.out, "[w['note'] for w in each['waiters']]"), "['first', 'second']\n");
    EXPECT_EQ(of_json(json.out, "[w['waited_ms'] >= 0 for w in each['waiters']]"),
              "[True, True]\n");
    EXPECT_EQ(of_json(json.out, "each['waiters'][0]['waited_ms'] >= "
                                "each['waiters'][1]['waited_ms']"),
              "True\n");
    const auto text = command({"show", "job"}).out;
    EXPECT_THAT(text, AllOf(HasSubstr("Held by 1\n"), HasSubstr("the next one first: 2\n")));
    EXPECT_LT(text.find("first "), text.find("second "));
}

TEST_F(ls, shows_readers_permits_and_resting_holds) {
    const auto reader = hold_at("", "prices", {"--shared"});
    const auto other_reader = hold_at("", "prices", {"--shared"});
    const auto some = hold_at("", "encoder", {"--limit", "3", "--permits", "2"});
    EXPECT_EQ(run({"--min-hold", "1m", "hourly", "--", "true"}).code, 0);
    const auto out = command({"ls"}).out;
    EXPECT_THAT(out, ContainsRegex("encoder +2 of 3 "));
    EXPECT_THAT(out, ContainsRegex("prices +shared .*\nprices +shared "));
    EXPECT_THAT(out, ContainsRegex("hourly .* resting "));
    const auto json = command({"ls", "--json", "hourly"}).out;
    EXPECT_EQ(of_json(json, "each['holders'][0]['resting']"), "True\n");
}

TEST_F(ls, escapes_what_others_have_written) {
    const auto holder = hold_at("", "na\x1bme\n", {"--note", "\x1b]0;title\x07"});
    for (const words& line : std::vector<words>{{"ls"}, {"show", "na\x1bme\n"}}) {
        const auto out = command(line).out;
        EXPECT_FALSE(has_escapes(out)) << out;
        EXPECT_THAT(out, AllOf(HasSubstr("\\x1bme"), HasSubstr("\\x1b]0;title")));
    }
    EXPECT_EQ(of_json(command({"ls", "--json"}).out, "each['name'] == 'na\\x1bme\\n'"), "True\n");
}

TEST_F(ls, output_that_cannot_be_written_is_a_failure) {
    take(sandbox_.url(), {"a"});
    EXPECT_EQ(shell("$holdfast ls > /dev/full").code, 70);
}

TEST_F(ls, colours_a_terminal_unless_no_color_is_set) {
    HOLDFAST_NEEDS_TERMINAL();
    take(sandbox_.url(), {"a"});
    terminal screen{sandbox_, {"bash", "--norc", "--noprofile", "-i"}};
    screen.enter("'" HOLDFAST_CLI "' ls; echo end $((40 + 2))");
    ASSERT_TRUE(screen.shows("end 42")) << screen.screen();
    EXPECT_THAT(screen.screen(), HasSubstr("\033[1mNAME"));
    const auto before = screen.screen().size();
    screen.enter("NO_COLOR=1 '" HOLDFAST_CLI "' ls; echo end $((40 + 3))");
    ASSERT_TRUE(screen.shows("end 43")) << screen.screen();
    EXPECT_THAT(screen.screen().substr(before), Not(HasSubstr("\033[1mNAME")));
}

#if HOLDFAST_WITH_REDIS

TEST_F(ls, of_many_locks_on_redis_shows_each_and_scans_in_batches) {
    redis_server server;
    words all;
    for (int number = 0; number < 3'000; ++number) {
        all.push_back("lock:" + std::to_string(number));
    }
    take(server.url(), all);
    server.command({"CONFIG", "RESETSTAT"});
    const auto end = at(server.url(), {"ls", "--json"});
    ASSERT_EQ(end.code, 0) << end.err;
    auto listed = of_json(end.out, "each['name']");
    std::sort(all.begin(), all.end());
    words found;
    std::istringstream lines{listed};
    for (std::string line; std::getline(lines, line);) { found.push_back(line); }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    EXPECT_EQ(found, all);
    const auto commands = server.command({"INFO", "commandstats"}).string();
    EXPECT_THAT(commands, Not(HasSubstr("cmdstat_keys:"))) << "it would block the server";
    const auto scans = commands.find("cmdstat_scan:calls=");
    ASSERT_NE(scans, std::string::npos) << commands;
    EXPECT_GE(std::stoi(commands.substr(scans + 19)), 6) << "at most 500 names each";
}

#endif

} // namespace

} // namespace holdfast::test
