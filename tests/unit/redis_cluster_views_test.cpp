// The cluster topology when nodes have old or incomplete views of who serves a slot.

#include "unit/redis_cluster_fixture.hpp"

namespace holdfast::test {
namespace {

using engine::op_status;

class redis_cluster_views : public redis_cluster {
protected:
    /// What a node says that knows of the move; CLUSTER SLOTS of all nodes does not, yet.
    void move_from_a_to(const std::string& address) {
        const auto slot = std::to_string(engine::redis::native_slot(in_a));
        servers["a:1"].on_script = [=](const auto&) {
            return "-MOVED " + slot + " " + address + "\r\n";
        };
    }
};

TEST_F(redis_cluster_views, that_are_older_than_moved_do_not_cut_off_the_node_that_it_named) {
    acquire(1, in_a);
    auto& new_node = add_server("d:4");
    move_from_a_to("d:4");
    acquire(2, in_a);
    EXPECT_EQ(answer_to(2).status, op_status::granted);
    new_node.silent = true;
    acquire(3, in_a);
    advance(500ms); // meanwhile the slots are asked for, and the replies are old
    EXPECT_EQ(answer_to(3).detail, "no answer") << "the connection to the right node was ended";
    new_node.silent = false;
    settle();
    EXPECT_EQ(answer_to(3).status, op_status::granted);
}

TEST_F(redis_cluster_views, that_are_older_than_moved_do_not_stop_the_operations_of_its_slot) {
    acquire(1, in_a);
    add_server("d:4");
    move_from_a_to("d:4");
    for (engine::op_id id = 2; id < 12; ++id) {
        acquire(id, in_a);
        advance(100ms);
        EXPECT_EQ(answer_to(id).status, op_status::granted) << answer_to(id).detail;
    }
}

TEST_F(redis_cluster_views, that_do_not_know_an_address_make_an_operation_worth_retrying) {
    acquire(1, in_a);
    move_from_a_to("?:4");
    acquire(2, in_a);
    advance(100ms);
    EXPECT_EQ(answer_to(2).status, op_status::failed);
    EXPECT_EQ(answer_to(2).error, errc::unavailable) << answer_to(2).detail;
    servers["a:1"].on_script = {};
    acquire(3, in_a);
    EXPECT_EQ(answer_to(3).status, op_status::granted) << answer_to(3).detail;
}

TEST_F(redis_cluster_views, leave_out_the_slots_of_a_node_without_an_address) {
    slots_are({{0, 5460, "?:1"}, {5461, 10922, "b:2"}, {10923, 16383, "c:3"}});
    acquire(1, in_b);
    EXPECT_EQ(answer_to(1).status, op_status::granted) << answer_to(1).detail;
    acquire(2, in_a);
    advance(100ms);
    EXPECT_EQ(answer_to(2).status, op_status::failed);
    EXPECT_EQ(answer_to(2).error, errc::unavailable) << answer_to(2).detail;
}

} // namespace
} // namespace holdfast::test
