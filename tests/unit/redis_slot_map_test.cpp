// slot_map: which master serves which slot; and redirections.

#include "holdfast/engine/redis/protocol/redirection.hpp"
#include "holdfast/engine/redis/topology/slot_map.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace holdfast::engine::redis {
namespace {

const announced_address a{"a", 1};
const announced_address b{"b", 2};
const announced_address c{"c", 3};

TEST(redis_slot_map, knows_nobody_at_first) {
    const slot_map map;
    EXPECT_EQ(map.owner(0), slot_map::nobody);
    EXPECT_EQ(map.owner(slot_count - 1), slot_map::nobody);
    EXPECT_EQ(map.covered(), 0U);
    EXPECT_EQ(map.first_from({}, false), slot_map::nobody);
}

TEST(redis_slot_map, gives_each_slot_to_the_master_of_its_range) {
    slot_map map;
    map.replace({{0, 99, a}, {100, 199, b}, {300, slot_count - 1, a}});
    EXPECT_EQ(map.address(map.owner(0)), a);
    EXPECT_EQ(map.address(map.owner(99)), a);
    EXPECT_EQ(map.address(map.owner(100)), b);
    EXPECT_EQ(map.owner(200), slot_map::nobody);
    EXPECT_EQ(map.address(map.owner(slot_count - 1)), a);
    EXPECT_EQ(map.covered(), slot_count - 100);
    EXPECT_EQ(map.slots_of(map.find(b)), 100U);
    EXPECT_EQ(map.masters(), 2U);
}

TEST(redis_slot_map, keeps_the_index_of_a_master_that_stays) {
    slot_map map;
    map.replace({{0, 99, a}, {100, 199, b}});
    const auto index = map.find(b);
    map.replace({{0, 49, c}, {50, 199, b}});
    EXPECT_EQ(map.find(b), index);
    EXPECT_EQ(map.slots_of(index), 150U);
    EXPECT_EQ(map.slots_of(map.find(a)), 0U);
    EXPECT_EQ(map.address(map.owner(0)), c);
}

TEST(redis_slot_map, leaves_moves_that_are_known_better_as_they_are) {
    slot_map map;
    map.replace({{0, 99, a}});
    const auto to = map.find_or_add(b);
    map.assign(7, to);
    const std::vector<slot_move> moves{{7, to}};
    auto changes = map.replace({{0, 99, a}}, moves);
    EXPECT_TRUE(changes.contradicted);
    EXPECT_FALSE(changes.moved);
    EXPECT_EQ(map.owner(7), to);
    changes = map.replace({{0, 6, a}, {7, 99, b}}, moves);
    EXPECT_FALSE(changes.contradicted);
    EXPECT_TRUE(changes.moved);
    EXPECT_EQ(map.slots_of(to), 93U);
}

TEST(redis_slot_map, moves_one_slot) {
    slot_map map;
    map.replace({{0, 99, a}});
    map.assign(7, map.find_or_add(b));
    EXPECT_EQ(map.address(map.owner(7)), b);
    EXPECT_EQ(map.address(map.owner(8)), a);
    EXPECT_EQ(map.slots_of(map.find(a)), 99U);
    EXPECT_EQ(map.covered(), 100U);
}

TEST(redis_slot_map, gives_the_index_of_a_master_without_slots_to_another_one) {
    slot_map map;
    map.replace({{0, 99, a}, {100, 199, b}});
    const auto index = map.find(a);
    map.keep(index, true);
    map.replace({{0, 199, b}});
    EXPECT_NE(map.find_or_add(c), index) << "it is in use yet";
    map.keep(index, false);
    EXPECT_EQ(map.find_or_add({"d", 4}), index);
}

TEST(redis_slot_map, gives_no_index_to_two_masters_of_one_reply) {
    slot_map map;
    map.replace({{0, 99, a}});
    map.replace({{0, 9, b}, {10, 19, c}, {20, 29, b}, {30, 39, c}});
    EXPECT_NE(map.find(b), map.find(c));
    EXPECT_EQ(map.slots_of(map.find(b)), 20U);
    EXPECT_EQ(map.slots_of(map.find(c)), 20U);
}

TEST(redis_slot_map, walks_its_masters_in_the_order_of_their_addresses) {
    slot_map map;
    map.replace({{0, 9, c}, {10, 19, a}});
    static_cast<void>(map.find_or_add(b)); // has no slots
    EXPECT_EQ(map.first_from({}, false), map.find(a));
    EXPECT_EQ(map.first_from("a:1", false), map.find(a));
    EXPECT_EQ(map.first_from("a:1", true), map.find(c));
    EXPECT_EQ(map.first_from("b:2", false), map.find(c));
    EXPECT_EQ(map.first_from("c:3", true), slot_map::nobody);
}

std::optional<std::vector<slot_range>> read(std::string_view bytes) {
    reply_reader reader;
    std::optional<std::vector<slot_range>> out;
    EXPECT_TRUE(reader.read(bytes, [&](const reply& reply) { out = read_slots(reply, "own"); }));
    return out;
}

TEST(redis_slot_map, reads_the_reply_to_cluster_slots) {
    const auto got = read("*2\r\n"
                          "*4\r\n:0\r\n:5460\r\n"
                          "*4\r\n$9\r\n127.0.0.1\r\n:7301\r\n$2\r\nid\r\n*0\r\n"
                          "*4\r\n$9\r\n127.0.0.1\r\n:7304\r\n$2\r\nid\r\n*0\r\n"
                          "*3\r\n:5461\r\n:16383\r\n"
                          "*4\r\n$-1\r\n:7302\r\n$2\r\nid\r\n*2\r\n$2\r\nip\r\n$1\r\nx\r\n");
    ASSERT_TRUE(got);
    EXPECT_EQ(*got, (std::vector<slot_range>{{0, 5460, {"127.0.0.1", 7301}},
                                             {5461, 16'383, {"own", 7302}}}));
}

TEST(redis_slot_map, refuses_another_reply) {
    EXPECT_FALSE(read("+OK\r\n"));
    EXPECT_FALSE(read("*1\r\n:1\r\n"));
    EXPECT_FALSE(read("*1\r\n*3\r\n:5\r\n:4\r\n*2\r\n$1\r\na\r\n:1\r\n")) << "an empty range";
    EXPECT_FALSE(read("*1\r\n*3\r\n:0\r\n:16384\r\n*2\r\n$1\r\na\r\n:1\r\n")) << "no such slot";
    EXPECT_FALSE(read("*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$1\r\na\r\n:0\r\n")) << "no such port";
    EXPECT_EQ(read("*0\r\n")->size(), 0U);
}

TEST(redis_redirection, names_slot_and_node) {
    const auto moved = parse_redirection("MOVED 3999 127.0.0.1:6381");
    ASSERT_TRUE(moved);
    EXPECT_EQ(moved->type, redirection::kind::moved);
    EXPECT_EQ(moved->slot, 3999U);
    EXPECT_EQ(moved->to, (announced_address{"127.0.0.1", 6381}));
    const auto ask = parse_redirection("ASK 0 ::1:7");
    ASSERT_TRUE(ask);
    EXPECT_EQ(ask->type, redirection::kind::ask);
    EXPECT_EQ(ask->to, (announced_address{"::1", 7}));
    EXPECT_EQ(parse_redirection("MOVED 1 :6381")->to, (announced_address{"", 6381}));
}

TEST(redis_redirection, is_no_other_error) {
    for (const auto* const text :
         {"ERR MOVED 1 a:1", "MOVED", "MOVED 1", "MOVED x a:1", "MOVED 16384 a:1", "MOVED 1 a:0",
          "MOVED 1 a", "MOVED 1 ?:1", "MOVED 1 a:65536", "ASKING 1 a:1", "TRYAGAIN 1 a:1"}) {
        EXPECT_FALSE(parse_redirection(text)) << text;
    }
}

} // namespace
} // namespace holdfast::engine::redis
