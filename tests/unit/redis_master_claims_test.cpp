// Which master is right, by what the sentinels say.

#include "holdfast/engine/redis/topology/master_claims.hpp"

#include <holdfast/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace holdfast::engine::redis {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using verdict = master_claims::verdict;

const announced_address a{"10.0.0.1", 6379};
const announced_address b{"10.0.0.2", 6379};
const announced_address c{"10.0.0.3", 6379};

class redis_master_claims : public testing::Test {
protected:
    /// All sentinels are asked.
    void search() {
        claims.start_search();
        for (std::size_t at = 0; at < claims.size(); ++at) { claims.on_asked(at); }
    }
    void down(std::size_t sentinel, errc code = errc::unavailable) {
        claims.on_down(sentinel, code, "Sentinel at s" + std::to_string(sentinel) + ": refused",
                       now);
    }
    [[nodiscard]] std::string why() const { return claims.why(now).text; }

    base::instant now{1h};
    master_claims claims{{"s0:1", "s1:2", "s2:3"}, "mymaster"};
};

/// What a sentinel says: an address and an epoch, n: it knows no such name, d: it is down, f: it is
/// down and refuses the password, .: it has not answered.
struct reply {
    char kind = '.';
    announced_address master{};
    std::uint64_t epoch = 0;
};

struct search_case {
    const char* name;
    std::vector<reply> replies;
    verdict before; ///< the first answers have settled
    verdict after;
    announced_address master{};
    errc code{};
};

class redis_master_search : public testing::TestWithParam<search_case> {};

TEST_P(redis_master_search, ends_as_the_table_says) {
    base::instant now{1h};
    master_claims claims{{"s0:1", "s1:2", "s2:3"}, "mymaster"};
    claims.start_search();
    for (std::size_t at = 0; at < 3; ++at) { claims.on_asked(at); }
    for (std::size_t at = 0; at < 3; ++at) {
        const auto& said = GetParam().replies[at];
        switch (said.kind) {
        case 'm': claims.on_named(at, said.master, said.epoch, now); break;
        case 'n': claims.on_ignorant(at); break;
        case 'd': claims.on_down(at, errc::unavailable, "refused", now); break;
        case 'f': claims.on_down(at, errc::store_forbidden, "WRONGPASS", now); break;
        default: break;
        }
    }
    EXPECT_EQ(claims.decide(now), GetParam().before);
    now += master_claims::settling;
    EXPECT_EQ(claims.decide(now), GetParam().after);
    if (GetParam().after == verdict::found) { EXPECT_EQ(claims.best(now), GetParam().master); }
    if (GetParam().after == verdict::failed) {
        EXPECT_EQ(claims.why(now).code, GetParam().code) << claims.why(now).text;
    }
}

constexpr auto undecided = verdict::undecided;
constexpr auto found = verdict::found;
constexpr auto failed = verdict::failed;

INSTANTIATE_TEST_SUITE_P(
    table, redis_master_search,
    testing::Values(
        search_case{"nobody_has_answered", {{}, {}, {}}, undecided, undecided},
        search_case{"one_is_down_others_are_asked", {{'d'}, {}, {}}, undecided, undecided},
        search_case{"one_is_ignorant_others_are_asked", {{'n'}, {}, {}}, undecided, undecided},
        search_case{"all_agree", {{'m', a, 3}, {'m', a, 3}, {'m', a, 3}}, found, found, a},
        search_case{"two_agree_one_is_slow", {{'m', a, 3}, {'m', a, 3}, {}}, undecided, found, a},
        search_case{"one_names_it_others_are_slow", {{}, {'m', a, 3}, {}}, undecided, found, a},
        search_case{"one_names_it_others_are_down", {{'d'}, {'d'}, {'m', a, 3}}, found, found, a},
        search_case{
            "one_names_it_others_know_no_such_name", {{'n'}, {'n'}, {'m', a, 0}}, found, found, a},
        search_case{"the_highest_epoch_wins_alone",
                    {{'m', a, 3}, {'m', b, 4}, {'m', a, 3}},
                    found,
                    found,
                    b},
        search_case{
            "equal_epochs_most_agree", {{'m', a, 3}, {'m', b, 3}, {'m', b, 3}}, found, found, b},
        search_case{"equal_epochs_no_majority",
                    {{'m', a, 3}, {'m', b, 3}, {'d'}},
                    failed,
                    failed,
                    {},
                    errc::unavailable},
        search_case{"equal_epochs_all_differ",
                    {{'m', a, 0}, {'m', b, 0}, {'m', c, 0}},
                    failed,
                    failed,
                    {},
                    errc::unavailable},
        search_case{"all_down", {{'d'}, {'d'}, {'d'}}, failed, failed, {}, errc::unavailable},
        search_case{"all_refuse", {{'f'}, {'f'}, {'f'}}, failed, failed, {}, errc::store_forbidden},
        search_case{"some_refuse", {{'f'}, {'d'}, {'f'}}, failed, failed, {}, errc::unavailable},
        search_case{"no_such_name", {{'n'}, {'n'}, {'n'}}, failed, failed, {}, errc::unsupported},
        search_case{"no_such_name_and_one_down",
                    {{'n'}, {'d'}, {'n'}},
                    failed,
                    failed,
                    {},
                    errc::unavailable}),
    [](const auto& test) { return std::string{test.param.name}; });

TEST_F(redis_master_claims, settle_a_moment_after_the_first_answer) {
    search();
    EXPECT_EQ(claims.due(), base::never);
    now += 5ms;
    claims.on_named(0, a, 1, now);
    EXPECT_EQ(claims.due(), now + master_claims::settling);
    const auto due = claims.due();
    now += 5ms;
    claims.on_named(1, a, 1, now);
    EXPECT_EQ(claims.due(), due) << "by the first, not by the last";
}

TEST_F(redis_master_claims, need_an_answer_in_each_search) {
    search();
    claims.on_named(0, a, 1, now);
    claims.on_named(1, a, 1, now);
    claims.on_named(2, a, 1, now);
    EXPECT_EQ(claims.decide(now), found);
    search();
    EXPECT_EQ(claims.decide(now), undecided);
    for (const std::size_t at : {0U, 1U, 2U}) { down(at); }
    EXPECT_EQ(claims.decide(now), failed) << "what they said before does not count";
}

TEST_F(redis_master_claims, follow_a_switch_before_its_epoch_is_known) {
    search();
    for (const std::size_t at : {0U, 1U, 2U}) { claims.on_named(at, a, 7, now); }
    claims.on_switched(1, b, now);
    EXPECT_EQ(claims.best(now), b);
    claims.on_named(0, a, 7, now);
    EXPECT_EQ(claims.best(now), b) << "another sentinel is late";
    claims.on_named(1, b, 9, now);
    EXPECT_EQ(claims.best(now), b);
    claims.on_named(2, c, 8, now);
    EXPECT_EQ(claims.best(now), b);
}

TEST_F(redis_master_claims, ignore_the_switch_of_a_sentinel_that_named_no_master) {
    search();
    claims.on_switched(0, b, now);
    EXPECT_EQ(claims.best(now), std::nullopt) << "its epoch cannot be compared";
    claims.on_named(1, a, 3, now);
    claims.on_switched(0, b, now);
    EXPECT_EQ(claims.best(now), a);
}

TEST_F(redis_master_claims, count_a_switch_once) {
    search();
    claims.on_named(0, a, 3, now);
    claims.on_named(1, c, 4, now);
    claims.on_switched(0, a, now);
    EXPECT_EQ(claims.best(now), c) << "it names a already: no new epoch";
}

TEST_F(redis_master_claims, remember_for_a_while_what_a_sentinel_said_before_it_went_down) {
    search();
    claims.on_named(0, b, 4, now);
    claims.on_named(1, a, 3, now);
    claims.on_named(2, a, 3, now);
    down(0);
    search();
    claims.on_named(1, a, 3, now);
    claims.on_named(2, a, 3, now);
    down(0);
    EXPECT_EQ(claims.best(now), b) << "the others have not heard of the failover yet";
    now += master_claims::memory;
    EXPECT_EQ(claims.best(now), a) << "they would have, by now";
}

TEST_F(redis_master_claims, are_withdrawn_by_a_sentinel_that_forgets_the_name) {
    search();
    claims.on_named(0, b, 4, now);
    claims.on_named(1, a, 3, now);
    claims.on_ignorant(0);
    EXPECT_EQ(claims.best(now), a);
}

TEST_F(redis_master_claims, may_start_again_with_epoch_0) {
    search();
    for (const std::size_t at : {0U, 1U, 2U}) { claims.on_named(at, a, 7, now); }
    for (const std::size_t at : {0U, 1U, 2U}) { claims.on_named(at, b, 0, now); }
    EXPECT_EQ(claims.best(now), b) << "the operator has set up the sentinels anew";
}

TEST_F(redis_master_claims, explain_a_failed_search_by_each_sentinel) {
    search();
    for (const std::size_t at : {0U, 1U, 2U}) { down(at); }
    EXPECT_THAT(why(), AllOf(HasSubstr("no sentinel can be asked for the master 'mymaster'"),
                             HasSubstr("Sentinel at s0: refused; Sentinel at s1: refused")));
    search();
    for (const std::size_t at : {0U, 1U, 2U}) { claims.on_ignorant(at); }
    EXPECT_THAT(why(), AllOf(HasSubstr("correct the master's name"),
                             HasSubstr("Sentinel at s1:2 knows no master 'mymaster'")));
    search();
    claims.on_named(0, a, 5, now);
    claims.on_named(1, b, 5, now);
    down(2);
    EXPECT_THAT(why(),
                AllOf(HasSubstr("disagree"), HasSubstr("s0:1 names 10.0.0.1:6379 (config-epoch 5)"),
                      HasSubstr("s1:2 names 10.0.0.2:6379"), HasSubstr("s2: refused")));
}

TEST_F(redis_master_claims, count_who_supports_a_master) {
    search();
    claims.on_named(0, a, 5, now);
    claims.on_named(1, a, 5, now);
    claims.on_named(2, b, 4, now);
    EXPECT_EQ(claims.supporters(a), 2U);
    EXPECT_THAT(claims.dissent(a),
                AllOf(HasSubstr("s2:3 names 10.0.0.2:6379"), Not(HasSubstr("s0:1"))));
    down(0);
    EXPECT_EQ(claims.supporters(a), 1U);
}

} // namespace
} // namespace holdfast::engine::redis
