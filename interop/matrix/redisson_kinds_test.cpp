// Redisson has seven kinds of exclusive locks, and all of them keep a hash under the name itself:
// none may hold a name together with a mutex of ours. Other files have what our other locks share.

#include "matrix.hpp"

#include <sstream>

namespace holdfast::interop {

namespace {

/// As options of the line protocol. Redisson's usual one is empty.
const std::vector<std::string> all_kinds{"", "fenced", "fair", "spin", "multi", "read", "write"};
const std::vector<std::string> halves_of_a_read_write_lock{"read", "write"};

std::string label(const std::string& kind) { return kind.empty() ? "usual" : kind; }

} // namespace

class redisson_kinds : public matrix {
protected:
    [[nodiscard]] static std::string with(const std::string& request, const std::string& kind) {
        return kind.empty() ? request : request + " " + kind;
    }
    /// As try_by and wait_by, of another lock.
    [[nodiscard]] static std::string try_of(const std::string& lock, const std::string& hold,
                                            milliseconds lease) {
        std::ostringstream out;
        out << "try " << hold << ' ' << lock << ' ' << lease.count();
        return out.str();
    }
    [[nodiscard]] static std::string wait_of(const std::string& lock, const std::string& hold) {
        std::ostringstream out;
        out << "acquire " << hold << ' ' << lock << ' ' << long_lease.count() << ' '
            << (2 * long_lease).count();
        return out.str();
    }
    /// With or without a token.
    [[nodiscard]] static bool is_held(const std::string& answer) {
        return answer.starts_with("held");
    }
    /// Not only nobody has taken it from us: it can be renewed still.
    void expect_still_ours(const std::string& hold) const { expect_still_ours(hold, name()); }
    void expect_still_ours(const std::string& hold, const std::string& lock) const {
        EXPECT_GT(time_to_live(server(), lock), 0ms);
        EXPECT_EQ(ours().ask("renew " + hold), "renewed");
    }
};
INSTANTIATE_TEST_SUITE_P(interop, redisson_kinds, testing::ValuesIn(redisson_alone()), name_of);

TEST_P(redisson_kinds, are_all_refused_while_we_hold_it) {
    for (const auto& kind : all_kinds) {
        SCOPED_TRACE(label(kind));
        ASSERT_EQ(ours().ask(try_by("a")), "held");
        EXPECT_EQ(theirs().ask(try_by("b", long_lease, kind)), "busy");
        EXPECT_EQ(theirs().ask(wait_by("b", long_lease, 100ms, kind)), "busy");
        expect_still_ours("a");
        EXPECT_EQ(ours().ask("release a"), "released");
        EXPECT_TRUE(is_free());
        EXPECT_TRUE(is_held(theirs().ask(try_by("b", long_lease, kind))));
        EXPECT_EQ(theirs().ask("release b"), "released");
        EXPECT_TRUE(is_free());
    }
}

TEST_P(redisson_kinds, all_keep_us_out) {
    for (const auto& kind : all_kinds) {
        SCOPED_TRACE(label(kind));
        ASSERT_TRUE(is_held(theirs().ask(try_by("a", 10500ms, kind))));
        EXPECT_EQ(ours().ask(try_by("b")), "busy");
        const auto waiter = ours().start(wait_by("b"));
        EXPECT_FALSE(waiter.answered_within(100ms));
        EXPECT_LE(time_left(), 10500ms);
        EXPECT_EQ(theirs().ask("release a"), "released");
        EXPECT_EQ(waiter.text(500ms + slack), "held") << "at the latest when it looks again";
        EXPECT_EQ(ours().ask("release b"), "released");
    }
}

TEST_P(redisson_kinds, all_take_over_when_our_lease_has_ended) {
    // A lock for each kind, so that all of them wait at the same time.
    std::vector<pending> waiters;
    for (const auto& kind : all_kinds) {
        const auto lock = name() + ":" + label(kind);
        ASSERT_EQ(ours().ask(try_of(lock, label(kind), short_lease)), "held");
        waiters.push_back(theirs().start(with(wait_of(lock, label(kind)), kind)));
    }
    for (std::size_t i = 0; i < waiters.size(); ++i) {
        const auto& kind = all_kinds.at(i);
        EXPECT_TRUE(is_held(waiters.at(i).text(short_lease + slack + slack))) << label(kind);
        EXPECT_EQ(theirs().ask("release " + label(kind)), "released") << label(kind);
    }
}

TEST_P(redisson_kinds, a_multi_lock_takes_nothing_while_we_hold_one_of_its_names) {
    for (const auto& held : {name(), name() + ":second"}) {
        SCOPED_TRACE(held);
        ASSERT_EQ(ours().ask(try_of(held, "a", long_lease)), "held");
        EXPECT_EQ(theirs().ask(try_by("b", long_lease, "multi")), "busy");
        EXPECT_EQ(theirs().ask(wait_by("b", long_lease, 300ms, "multi")), "busy");
        expect_still_ours("a", held);
        EXPECT_EQ(keys_of(server()), std::vector<std::string>{held});
        EXPECT_EQ(ours().ask("release a"), "released");
    }
    ASSERT_EQ(theirs().ask(try_by("b", long_lease, "multi")), "held");
    for (const auto& wanted : {name(), name() + ":second"}) {
        EXPECT_EQ(ours().ask(try_of(wanted, "a", long_lease)), "busy") << wanted;
    }
    const auto waiter = ours().start(wait_of(name() + ":second", "a"));
    EXPECT_FALSE(waiter.answered_within(100ms));
    EXPECT_EQ(theirs().ask("release b"), "released");
    EXPECT_EQ(waiter.text(slack), "held") << "it is woken";
    EXPECT_EQ(ours().ask("release a"), "released");
}

TEST_P(redisson_kinds, cannot_unlock_what_we_hold) {
    ASSERT_EQ(ours().ask(try_by("a")), "held");
    for (const auto& kind : all_kinds) {
        if (kind == "multi") { continue; } // it gives up what it can, and does not say
        EXPECT_EQ(theirs().ask(with("intrude " + name(), kind)), "refused") << label(kind);
        expect_still_ours("a");
    }
    EXPECT_EQ(ours().ask("release a"), "released");
}

TEST_P(redisson_kinds, of_a_read_write_lock_cannot_unlock_what_was_theirs_and_is_ours) {
    for (const auto& kind : halves_of_a_read_write_lock) {
        SCOPED_TRACE(kind);
        ASSERT_EQ(theirs().ask(try_by("a", short_lease, kind)), "held");
        ASSERT_EQ(ours().ask(wait_by("b")), "held") << "their lease has ended";
        EXPECT_EQ(theirs().ask("release a"), "lost");
        expect_still_ours("b");
        EXPECT_EQ(ours().ask("release b"), "released");
    }
}

TEST_P(redisson_kinds, of_a_read_write_lock_cannot_force_ours) {
    ASSERT_EQ(ours().ask(try_by("a")), "held");
    for (const auto& kind : halves_of_a_read_write_lock) {
        EXPECT_EQ(theirs().ask(with("force " + name(), kind)), "free") << kind;
        expect_still_ours("a");
    }
    EXPECT_EQ(theirs().ask("force " + name()), "broken") << "the usual one can";
    EXPECT_EQ(ours().ask("release a"), "lost");
    EXPECT_TRUE(is_free());
}

TEST_P(redisson_kinds, of_a_read_write_lock_can_be_broken_by_us) {
    for (const auto& kind : halves_of_a_read_write_lock) {
        SCOPED_TRACE(kind);
        ASSERT_EQ(theirs().ask(try_by("a", short_lease, kind)), "held");
        EXPECT_EQ(ours().ask("force " + name()), "broken");
        EXPECT_TRUE(is_free());
        EXPECT_EQ(ours().ask(try_by("b")), "held");
        EXPECT_EQ(theirs().ask("release a"), "lost");
        expect_still_ours("b");
        EXPECT_EQ(ours().ask("release b"), "released");
    }
}

} // namespace holdfast::interop
