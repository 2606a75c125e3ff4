// The operator's commands on every engine and layout.

#include "cli/operator_fixture.hpp"
#include "support/engines.hpp"

#include <algorithm>
#include <iterator>

namespace holdfast::test {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::vector<engine_under_test> shared_engines() {
    std::vector<engine_under_test> out;
    std::copy_if(engines().begin(), engines().end(), std::back_inserter(out),
                 [](const auto& each) { return each.across_processes; });
    return out;
}

class operator_on : public operator_commands,
                    public ::testing::WithParamInterface<engine_under_test> {
protected:
    void SetUp() override { store_ = GetParam().make_store(); }

    /// The foreign layouts: they store the owner only, and cannot be listed.
    [[nodiscard]] static bool is_foreign() {
        const auto& name = GetParam().name;
        return name.starts_with("redis_plain") || name.starts_with("redis_redisson");
    }
    [[nodiscard]] static bool has_tokens() {
        const auto& name = GetParam().name;
        return name != "redis_plain" && name != "redis_redisson_fair";
    }

    std::unique_ptr<store> store_;
};

TEST_P(operator_on, lists_and_shows_who_holds_a_lock) {
    const auto url = store_->url();
    const auto note = is_foreign() ? words{} : words{"--note", "by Ann"};
    const auto holder = hold_at(url, "job", note);
    const auto listed = at(url, {"ls", "--json", "job"});
    ASSERT_EQ(listed.code, 0) << listed.err;
    EXPECT_EQ(of_json(listed.out, "each['name'], len(each['holders']), each['kind']"),
              "('job', 1, 'mutex')\n");
    EXPECT_EQ(at(url, {"show", "--json", "job"}).code, 0);
    EXPECT_EQ(token_at(url, "job") > 0, has_tokens());
    EXPECT_EQ(of_json(listed.out, "0 < each['holders'][0]['remaining_ms'] <= 30000"), "True\n");
    if (is_foreign()) {
        EXPECT_EQ(of_json(listed.out, "each['holders'][0]['host'], each['holders'][0]['held_ms']"),
                  "(None, None)\n");
        const auto all = at(url, {"ls"});
        EXPECT_EQ(all.code, 64) << all.err;
        EXPECT_THAT(all.err, HasSubstr("cannot distinguish locks from other keys; give names"));
    } else {
        const auto guardian = std::to_string(guardian_of(holder.pid()));
        EXPECT_EQ(of_json(listed.out, "each['holders'][0]['note'], each['holders'][0]['pid']"),
                  "('by Ann', " + guardian + ")\n");
        EXPECT_EQ(of_json(listed.out, "each['holders'][0]['command']"),
                  "sh -c echo held; exec sleep 1000\n");
        EXPECT_EQ(of_json(listed.out, "0 <= each['holders'][0]['held_ms'] < 60000"), "True\n");
        EXPECT_THAT(at(url, {"ls"}).out, AllOf(HasSubstr("job"), HasSubstr(":" + guardian),
                                               HasSubstr("by Ann"), HasSubstr("exclusive")));
    }
    EXPECT_EQ(at(url, {"show", "other"}).code, 1);
}

TEST_P(operator_on, break_tells_the_holder_and_the_next_waiter_gets_a_higher_token) {
    const auto url = store_->url();
    auto holder = hold_at(url, "job");
    const auto token = token_at(url, "job");
    auto waiter = start_at(url, {"run", "job", "--", "sh", "-c", "echo held; exec sleep 1000"});
    std::this_thread::sleep_for(300ms); // a quorum and the foreign layouts show no waiters
    if (has_tokens()) {
        const auto wrong = at(url, {"break", "--yes", "--token", std::to_string(token + 1), "job"});
        EXPECT_EQ(wrong.code, 1) << wrong.err;
        EXPECT_FALSE(holder.has_ended());
        EXPECT_EQ(token_at(url, "job"), token);
    }
    words line{"break", "--yes", "job"};
    if (has_tokens()) { line.insert(line.end(), {"--token", std::to_string(token)}); }
    const auto broken = at(url, line);
    EXPECT_EQ(broken.code, 0) << broken.err;
    EXPECT_THAT(broken.err, HasSubstr("is broken"));
    const auto end = holder.wait();
    EXPECT_EQ(end.code, 76);
    EXPECT_THAT(end.err, HasSubstr("broken"));
    EXPECT_TRUE(eventually([&] { return waiter.out() == "held\n"; })) << waiter.err();
    if (has_tokens()) { EXPECT_GT(token_at(url, "job"), token); }
}

TEST_P(operator_on, ping_says_how_fast_the_engine_answers) {
    const auto end = at(store_->url(), {"ping", "--json", "-c", "2", "--interval", "1ms"});
    EXPECT_EQ(end.code, 0) << end.err;
    EXPECT_EQ(of_json(end.out, "each['took_ms'] > 0 and '?' not in each['engine']"),
              "True\nTrue\n");
}

INSTANTIATE_TEST_SUITE_P(engines, operator_on, ::testing::ValuesIn(shared_engines()),
                         [](const auto& each) { return each.param.name; });

} // namespace

} // namespace holdfast::test
