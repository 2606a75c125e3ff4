// Redisson's read-write lock and our shared_mutex, in both directions.

#include "redisson_kinds.hpp"

namespace holdfast::interop {

namespace {

/// What keeps what out.
struct half_pair {
    const char* held;
    const char* wanted;
};
constexpr std::array exclusions{half_pair{"write", "write"}, half_pair{"write", "read"},
                                half_pair{"read", "write"}};

} // namespace

class redisson_rw : public redisson_kind {};
INSTANTIATE_TEST_SUITE_P(interop, redisson_rw, testing::ValuesIn(redisson_alone()), name_of);

TEST_P(redisson_rw, a_writer_keeps_all_out_and_a_reader_keeps_writers_out) {
    both_ways([&](const sides& now) {
        for (const auto& each : exclusions) {
            SCOPED_TRACE(std::string{each.held} + " against " + each.wanted);
            ASSERT_EQ(now.holder.ask(try_kind("a", each.held)), "held");
            EXPECT_EQ(now.other.ask(try_kind("b", each.wanted)), "busy");
            EXPECT_EQ(now.other.ask(wait_kind("b", each.wanted, 300ms)), "busy");
            EXPECT_EQ(now.holder.ask("release a"), "released");
            EXPECT_TRUE(is_free());
        }
    });
}

TEST_P(redisson_rw, readers_of_both_sides_share_it_and_the_last_one_lets_a_writer_in) {
    both_ways([&](const sides& now) {
        ASSERT_EQ(now.holder.ask(try_kind("a", "read", 10500ms)), "held");
        ASSERT_EQ(now.other.ask(try_kind("b", "read", 20500ms)), "held");
        EXPECT_GT(time_left(), 15s) << "as long as the longest lease";
        const auto here = now.holder.start(wait_kind("c", "write"));
        EXPECT_FALSE(here.answered_within(300ms));
        EXPECT_EQ(now.other.ask("release b"), "released");
        EXPECT_FALSE(here.answered_within(300ms)) << "one reader is left";
        EXPECT_LE(time_left(), 10500ms) << "and only its lease";
        EXPECT_EQ(now.holder.ask("release a"), "released");
        EXPECT_EQ(here.text(slack), "held");
        EXPECT_EQ(now.holder.ask("release c"), "released");
        EXPECT_TRUE(is_free());
    });
}

TEST_P(redisson_rw, a_release_wakes_the_other_side) {
    both_ways([&](const sides& now) {
        for (const auto& each : exclusions) {
            SCOPED_TRACE(std::string{each.held} + " before " + each.wanted);
            ASSERT_EQ(now.holder.ask(try_kind("a", each.held)), "held");
            const auto waiter = now.other.start(wait_kind("b", each.wanted));
            EXPECT_FALSE(waiter.answered_within(300ms));
            EXPECT_EQ(now.holder.ask("release a"), "released");
            EXPECT_EQ(waiter.text(slack), "held");
            EXPECT_EQ(now.other.ask("release b"), "released");
        }
    });
}

TEST_P(redisson_rw, a_writers_release_wakes_all_readers_of_both_sides) {
    both_ways([&](const sides& now) {
        ASSERT_EQ(now.holder.ask(try_kind("a", "write")), "held");
        std::vector<pending> readers;
        for (const auto* const hold : {"b", "c", "d"}) {
            readers.push_back(now.other.start(wait_kind(hold, "read")));
            readers.push_back(now.holder.start(wait_kind(hold, "read")));
        }
        EXPECT_FALSE(readers.back().answered_within(300ms));
        EXPECT_EQ(now.holder.ask("release a"), "released");
        for (const auto& reader : readers) { EXPECT_EQ(reader.text(slack), "held"); }
        for (const auto* const hold : {"b", "c", "d"}) {
            EXPECT_EQ(now.other.ask(std::string{"release "} + hold), "released");
            EXPECT_EQ(now.holder.ask(std::string{"release "} + hold), "released");
        }
        EXPECT_TRUE(is_free());
    });
}

TEST_P(redisson_rw, the_other_side_takes_over_when_a_killed_holders_lease_has_ended) {
    both_ways([&](const sides& now) {
        for (const auto& each : exclusions) {
            SCOPED_TRACE(std::string{each.held} + " before " + each.wanted);
            const auto victim = another(now.ours);
            ASSERT_EQ(victim->ask(try_kind("a", each.held, short_lease)), "held");
            const auto waiter = now.other.start(wait_kind("b", each.wanted));
            EXPECT_FALSE(waiter.answered_within(200ms));
            victim->kill();
            const auto left = time_left();
            const stopwatch since;
            EXPECT_EQ(waiter.text(left + slack), "held");
            EXPECT_GT(since.elapsed(), left - 50ms);
            EXPECT_EQ(now.other.ask("release b"), "released");
        }
    });
}

TEST_P(redisson_rw, a_killed_reader_does_not_keep_the_others_hold_from_ending) {
    both_ways([&](const sides& now) {
        const auto victim = another(now.ours);
        ASSERT_EQ(victim->ask(try_kind("a", "read", short_lease)), "held");
        ASSERT_EQ(now.other.ask(try_kind("b", "read")), "held");
        victim->kill();
        EXPECT_EQ(now.holder.ask(try_kind("c", "write")), "busy");
        EXPECT_EQ(now.holder.ask(wait_kind("c", "write", 2 * short_lease)), "busy")
            << "the other one still reads";
        EXPECT_EQ(now.other.ask("release b"), "released");
        EXPECT_EQ(now.holder.ask(wait_kind("c", "write", slack)), "held");
        EXPECT_EQ(now.holder.ask("release c"), "released");
    });
}

TEST_P(redisson_rw, watchdogs_keep_both_halves) {
    both_ways([&](const sides& now) {
        for (const std::string half : {"read", "write"}) {
            SCOPED_TRACE(half);
            ASSERT_EQ(now.holder.ask(try_by("a", short_lease, "watchdog " + half)), "held");
            EXPECT_EQ(now.other.ask(wait_kind("b", "write", 4500ms)), "busy");
            EXPECT_EQ(now.holder.ask("release a"), "released");
            EXPECT_TRUE(is_free());
        }
    });
}

TEST_P(redisson_rw, what_they_have_entered_twice_they_must_leave_twice) {
    for (const std::string half : {"read", "write"}) {
        SCOPED_TRACE(half);
        ASSERT_EQ(theirs().ask(try_kind("a", half)), "held");
        ASSERT_EQ(theirs().ask("reenter a"), "held");
        const auto waiter = ours().start(wait_kind("b", "write"));
        EXPECT_EQ(theirs().ask("release a"), "held");
        EXPECT_FALSE(waiter.answered_within(700ms));
        EXPECT_EQ(theirs().ask("release a"), "released");
        EXPECT_EQ(waiter.text(slack), "held");
        EXPECT_EQ(ours().ask("release b"), "released");
        EXPECT_TRUE(is_free());
    }
}

TEST_P(redisson_rw, a_former_holder_cannot_release_what_the_other_side_took_over) {
    both_ways([&](const sides& now) {
        for (const std::string half : {"read", "write"}) {
            SCOPED_TRACE(half);
            ASSERT_EQ(now.holder.ask(try_kind("a", half, short_lease)), "held");
            ASSERT_EQ(now.other.ask(wait_kind("b", "write")), "held");
            EXPECT_EQ(now.holder.ask("release a"), "lost");
            EXPECT_GT(time_left(), 20s);
            EXPECT_EQ(now.other.ask("release b"), "released");
        }
    });
}

TEST_P(redisson_rw, and_the_usual_lock_and_a_multi_lock_exclude_each_other) {
    for (const std::string half : {"read", "write"}) {
        for (const std::string kind : {"", "multi"}) {
            SCOPED_TRACE(half + " and " + kind);
            ASSERT_EQ(ours().ask(try_kind("a", half)), "held");
            EXPECT_EQ(theirs().ask(try_kind("b", kind)), "busy");
            EXPECT_EQ(ours().ask("release a"), "released");
            ASSERT_EQ(theirs().ask(try_kind("b", kind)), "held");
            EXPECT_EQ(ours().ask(try_kind("a", half)), "busy");
            EXPECT_EQ(theirs().ask("release b"), "released");
            EXPECT_TRUE(is_free());
        }
    }
}

TEST_P(redisson_rw, each_side_can_break_the_others_hold) {
    both_ways([&](const sides& now) {
        for (const std::string half : {"read", "write"}) {
            SCOPED_TRACE(half);
            ASSERT_EQ(now.holder.ask(try_kind("a", half)), "held");
            const auto waiter = now.holder.start(wait_kind("b", "write"));
            EXPECT_FALSE(waiter.answered_within(200ms));
            EXPECT_EQ(now.other.ask("force " + name() + " " + half), "broken");
            EXPECT_EQ(waiter.text(slack), "held") << "it is woken";
            EXPECT_EQ(now.holder.ask("release a"), "lost");
            EXPECT_EQ(now.holder.ask("release b"), "released");
            for (const auto& key : keys_of(server(), "*rwlock_timeout*")) {
                EXPECT_TRUE(now.ours) << "only Redisson's forceUnlock leaves " << key;
                server().command({"DEL", key});
            }
        }
    });
}

} // namespace holdfast::interop
