// P1, P2 and P3 in a cluster whose slots move and whose masters are replaced, under 16 processes.

#include "fault/redis_cluster_fixture.hpp"
#include "fault/taker_crowd.hpp"
#include "support/environment.hpp"

#include <algorithm>
#include <iostream>
#include <map>

namespace holdfast::test {
namespace {

class redis_reshard : public cluster_fault {
protected:
    /// Nobody is replaced because this machine is busy: that could lose data.
    redis_reshard() : cluster_fault{{.node_timeout = scaled(5s)}} {
        for (int number = 0; number < 8; ++number) {
            names.push_back("stock" + std::to_string(number));
            busy_slots.push_back(group.slot_of(key_of(names.back())));
        }
    }

    /// Moves a slot in steps, with time in between for clients to meet each state.
    void move_slowly(unsigned slot, redis_server& from, redis_server& to, taker_crowd& takers) {
        const auto pause = [&] { std::this_thread::sleep_for(milliseconds{takers.below(15)}); };
        group.begin_move(slot, from, to);
        pause();
        const auto keys = from.command({"CLUSTER", "GETKEYSINSLOT", std::to_string(slot), "100"});
        for (const auto& key : keys.items()) {
            group.move_key(key.string(), from, to);
            pause();
        }
        group.move_keys(slot, from, to); // what was written meanwhile
        pause();
        group.finish_move(slot, to);
    }
    /// There and back: a slot of the takers' locks slowly, any other one at once.
    void move_there_and_back(unsigned slot, taker_crowd& takers) {
        auto& from = group.master_of_slot(slot);
        auto& to = group.other_master(from);
        const bool busy = std::ranges::find(busy_slots, slot) != busy_slots.end();
        for (auto [source, target] : {std::pair{&from, &to}, std::pair{&to, &from}}) {
            if (busy) {
                move_slowly(slot, *source, *target, takers);
            } else {
                group.begin_move(slot, *source, *target);
                group.move_keys(slot, *source, *target);
                group.finish_move(slot, *target);
            }
        }
    }
    /// Another one for each number below 16,000, on all masters in turn.
    [[nodiscard]] static unsigned idle_slot(unsigned long number) {
        constexpr unsigned long step = 5'461; // a third of the slots; it has no divisor in common
        return static_cast<unsigned>(number * step % cluster_group::slot_count);
    }
    void fail_over_master(unsigned number) {
        group.fail_over(group.master_of_slot(cluster_group::slot_count * number / 3 + 1));
    }

    /// All keys are on the node that serves them, and each waiter is in both keys of its queue.
    void expect_no_half_written_state() {
        for (auto& node : group.nodes) {
            if (!is_master(node)) { continue; }
            for (const auto& key : keys_on(node)) {
                EXPECT_EQ(&group.master_of(key), &node) << key << " was left behind";
            }
        }
        for (const auto& name : names) {
            auto& node = owner_of(name);
            std::set<std::string> order;
            std::set<std::string> terms;
            const auto queue = node.command({"ZRANGE", key_of(name) + ":q", "0", "-1"});
            for (const auto& each : queue.items()) { order.insert(each.string()); }
            const auto waiters = node.command({"HKEYS", key_of(name) + ":w"});
            for (const auto& each : waiters.items()) {
                if (each.string() != "#" && each.string() != "!") { terms.insert(each.string()); }
            }
            EXPECT_EQ(order, terms) << "a half-written queue of " << name;
        }
    }
    void expect_no_stuck_lock() {
        client after = connect("", {.connect_wait = long_wait});
        for (const auto& name : names) {
            EXPECT_TRUE((mutex{after, name}.try_acquire_for(long_wait))) << name << " is stuck";
        }
    }

    std::vector<std::string> names;
    std::vector<unsigned> busy_slots;
};

TEST_F(redis_reshard, under_load_breaks_no_promise) {
    const auto slots = number_from_environment("HOLDFAST_MOVED_SLOTS", by_run_length(16UL, 200UL));
    taker_crowd takers{{.url = group.url("?timeout=1000"),
                        .names = names,
                        .lease = 3s,
                        .seed = seed_of_this_run()}};
    takers.fill_up();
    std::this_thread::sleep_for(500ms);
    unsigned replaced = 0;
    for (unsigned long moved = 0; moved < slots; ++moved) {
        move_there_and_back(idle_slot(moved), takers);
        if (moved % 2 == 0) {
            move_there_and_back(busy_slots[moved / 2 % busy_slots.size()], takers);
        }
        takers.fill_up();
        if (takers.below(4) == 0) { takers.kill_some(); }
        if (replaced < 3 && moved >= (replaced + 1) * slots / 4) { fail_over_master(replaced++); }
    }
    while (replaced < 3) { fail_over_master(replaced++); }
    EXPECT_TRUE(group.is_whole());
    std::this_thread::sleep_for(500ms);
    EXPECT_EQ(takers.finish(), "");
    EXPECT_GT(takers.holds(), static_cast<long>(10 * slots));
    std::cout << slots << " slots moved there and back, " << replaced << " failovers" << std::endl;
    expect_no_half_written_state();
    expect_no_stuck_lock();
}

} // namespace
} // namespace holdfast::test
