// The lead: every state with every event, with no follower, with one and with many.

#include "holdfast/drive/lead_machine.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <deque>
#include <string>

// compiled alone: other files of the folder have helpers of the same names

namespace holdfast::drive {
namespace {

using namespace std::chrono_literals;
using enum lead_state;

constexpr base::instant start{std::chrono::hours{1}};

constexpr std::array all_states{vacant, offered, caller, keeper, closing, shutdown, ended};
constexpr std::array names{"vacant", "offered", "caller", "keeper", "closing", "shutdown", "ended"};

std::string name_of(lead_state state) { return names.at(static_cast<std::size_t>(state)); }

/// A lead that events have brought to a state, and its followers.
class lead_in_state {
public:
    explicit lead_in_state(lead_state state, std::size_t follower_count = 0) {
        lead.set_keeper_running();
        go_to(state);
        for (std::size_t i = 0; i < follower_count; ++i) { lead.follow(add_sleeper()); }
        EXPECT_EQ(name_of(lead.state()), name_of(state));
    }

    sleeper& add_sleeper() { return sleepers_.emplace_back(); }
    [[nodiscard]] sleeper& chosen() { return sleepers_.front(); }

    futex_pool pool;
    lead_machine lead{pool};

private:
    void go_to(lead_state state) {
        switch (state) {
        case vacant: break;
        case offered:
            EXPECT_TRUE(lead.take(start));
            lead.follow(add_sleeper());
            lead.leave(start);
            break;
        case caller: EXPECT_TRUE(lead.take(start)); break;
        case keeper:
        case closing:
            EXPECT_TRUE(lead.take(start));
            for (std::size_t i = 0; i < lead_machine::crowd; ++i) { lead.follow(add_sleeper()); }
            lead.leave(start);
            for (auto& sleeper : sleepers_) { lead.set_ready(sleeper); }
            if (state == closing) { lead.shut_down(start); }
            break;
        case shutdown: lead.shut_down(start); break;
        case ended: lead.end(); break;
        }
        static_cast<void>(pool.take_calls());
    }

    std::deque<sleeper> sleepers_; // they do not move
};

constexpr std::size_t single = 1;
constexpr std::size_t crowd = lead_machine::crowd;

enum class event { take, leave, chosen_ready, shut_down, end };

/// The state after the event.
std::string after(lead_state state, event event, std::size_t follower_count) {
    lead_in_state subject{state, follower_count};
    switch (event) {
    case event::take: return subject.lead.take(start) ? name_of(subject.lead.state()) : "follow";
    case event::leave: subject.lead.leave(start); break;
    case event::chosen_ready:
        if (state == offered) { subject.lead.set_ready(subject.chosen()); }
        break;
    case event::shut_down: subject.lead.shut_down(start); break;
    case event::end: subject.lead.end(); break;
    }
    return name_of(subject.lead.state());
}

/// Expected states in the order of lead_state; "-" is the same as before.
void expect_row(event event, std::size_t follower_count, const std::array<const char*, 7>& row) {
    for (std::size_t i = 0; i < all_states.size(); ++i) {
        const std::string expected = row.at(i) == std::string{"-"} ? names.at(i) : row.at(i);
        EXPECT_EQ(after(all_states.at(i), event, follower_count), expected)
            << "from " << names.at(i) << " with " << follower_count << " followers";
    }
}

// clang-format off
TEST(lead, is_taken_by_a_caller_unless_another_thread_leads) {
    for (const auto count : {std::size_t{0}, single, crowd}) {
        expect_row(event::take, count,
                   //vacant    offered   caller    keeper    closing   shutdown  ended
                   {"caller", "caller", "follow", "follow", "follow", "follow", "follow"});
    }
}

TEST(lead, passes_to_a_follower_or_becomes_vacant) {
    expect_row(event::leave, 0,      {"-", "-", "vacant",  "vacant",  "shutdown", "vacant", "-"});
    expect_row(event::leave, single, {"-", "-", "offered", "offered", "shutdown", "vacant", "-"});
}

TEST(lead, passes_to_the_keeper_if_there_are_many_followers) {
    expect_row(event::leave, crowd, {"-", "-", "keeper", "keeper", "shutdown", "vacant", "-"});
}

TEST(lead, is_offered_to_the_next_follower_when_the_chosen_one_is_ready) {
    expect_row(event::chosen_ready, 0,      {"-", "vacant",  "-", "-", "-", "-", "-"});
    expect_row(event::chosen_ready, single, {"-", "offered", "-", "-", "-", "-", "-"});
    expect_row(event::chosen_ready, crowd,  {"-", "offered", "-", "-", "-", "-", "-"});
}

TEST(lead, passes_to_the_shutdown_once_the_keeper_has_left) {
    for (const auto count : {std::size_t{0}, single, crowd}) {
        expect_row(event::shut_down, count,
                   {"shutdown", "shutdown", "-", "closing", "-", "-", "-"});
    }
}

TEST(lead, ends_in_every_state) {
    for (const auto count : {std::size_t{0}, single, crowd}) {
        expect_row(event::end, count, {"ended", "ended", "ended", "ended", "ended", "ended", "-"});
    }
}
// clang-format on

TEST(lead, knows_in_which_states_a_thread_leads) {
    for (const auto state : all_states) {
        const bool led =
            state == caller || state == keeper || state == closing || state == shutdown;
        EXPECT_EQ(lead_in_state{state}.lead.led(), led) << name_of(state);
    }
}

TEST(lead, passes_to_a_follower_while_no_keeper_runs) {
    futex_pool pool;
    lead_machine lead{pool};
    std::array<sleeper, crowd> all{};
    ASSERT_TRUE(lead.take(start));
    for (auto& sleeper : all) { lead.follow(sleeper); }
    EXPECT_EQ(lead.leave(start), offered);
}

TEST(lead, is_offered_to_the_first_follower_and_wakes_it) {
    lead_in_state subject{caller};
    auto& first = subject.add_sleeper();
    auto& second = subject.add_sleeper();
    subject.lead.follow(first);
    subject.lead.follow(second);
    EXPECT_FALSE(subject.pool.called());
    EXPECT_EQ(subject.lead.leave(start), offered);
    EXPECT_TRUE(subject.pool.called()) << "it has to be woken";
    EXPECT_FALSE(first.waiting());
    EXPECT_FALSE(first.ready());
    EXPECT_TRUE(second.waiting());
    EXPECT_EQ(subject.lead.followers().size(), 1U);
}

TEST(lead, wakes_a_follower_whose_answer_has_arrived) {
    lead_in_state subject{caller};
    auto& first = subject.add_sleeper();
    auto& second = subject.add_sleeper();
    subject.lead.follow(first);
    subject.lead.follow(second);
    subject.lead.set_ready(first);
    EXPECT_TRUE(subject.pool.called());
    EXPECT_TRUE(first.ready());
    EXPECT_EQ(&subject.lead.followers().first(), &second);
}

TEST(lead, does_not_wake_the_leader_in_the_pool) {
    lead_in_state subject{caller};
    auto& leader = subject.add_sleeper();
    subject.lead.set_ready(leader);
    EXPECT_TRUE(leader.ready());
    EXPECT_FALSE(subject.pool.called()) << "it polls, or runs";
}

// If another caller is faster, the chosen follower follows again.
TEST(lead, may_be_taken_by_another_caller_than_the_chosen_one) {
    lead_in_state subject{offered};
    auto& late = subject.chosen();
    ASSERT_TRUE(subject.lead.take(start));
    EXPECT_FALSE(subject.lead.take(start));
    subject.lead.follow(late);
    EXPECT_TRUE(late.waiting());
    subject.lead.set_ready(late);
    EXPECT_EQ(subject.lead.state(), caller) << "nobody else is woken for it";
    EXPECT_EQ(subject.lead.leave(start), vacant);
}

TEST(lead, records_since_when_it_is_led_and_when_it_was_last_led) {
    lead_in_state subject{vacant};
    EXPECT_EQ(subject.lead.last_led(), base::instant{});
    ASSERT_TRUE(subject.lead.take(start + 1s));
    EXPECT_EQ(subject.lead.led_since(), start + 1s);
    subject.lead.follow(subject.add_sleeper());
    subject.lead.leave(start + 2s);
    EXPECT_EQ(subject.lead.last_led(), base::instant{}) << "a successor was chosen";
    ASSERT_TRUE(subject.lead.take(start + 3s));
    subject.lead.leave(start + 4s);
    EXPECT_EQ(subject.lead.last_led(), start + 4s);
}

} // namespace
} // namespace holdfast::drive
