// Operations of a cluster that are done in parts: heartbeats and lists.

#include "unit/redis_cluster_fixture.hpp"

namespace holdfast::test {
namespace {

using engine::op_status;
using testing::ElementsAre;
using testing::IsEmpty;

/// The reply of a beat script that renews all items but those whose index is in `elsewhere`.
std::string renewed(std::size_t items, const std::vector<std::size_t>& elsewhere = {}) {
    std::string out = "*" + std::to_string(items) + "\r\n";
    for (std::size_t at = 0; at < items; ++at) {
        const bool gone = std::find(elsewhere.begin(), elsewhere.end(), at) != elsewhere.end();
        out += gone ? redis_fake::bulk(
                          "-ERR Script attempted to access a non local key in a cluster node")
                    : ":1\r\n";
    }
    return out;
}

class redis_cluster_beat : public redis_cluster {
protected:
    redis_cluster_beat() {
        for (auto& [address, server] : servers) {
            server.on_script = [](const auto& request) { return renewed(items_of(request)); };
        }
    }
    /// With a declared key: item and mark. Otherwise three arguments per item.
    static std::size_t items_of(const memory_server::words& request) {
        return request.at(2) == "1" ? 1 : (request.size() - 3) / 3;
    }
    [[nodiscard]] std::vector<op_status> statuses(engine::op_id id) const {
        std::vector<op_status> out;
        for (const auto& each : answer_to(id).beats) { out.push_back(each.status); }
        return out;
    }
    const std::string also_in_a = name_from(0, 5460, 1);
};

TEST_F(redis_cluster_beat, goes_to_each_node_once) {
    const auto op = beat({in_a, in_c, also_in_a, in_b});
    submit(1, beat({in_a, in_c})); // finds the slots
    for (auto& [address, server] : servers) { server.commands.clear(); }
    submit(2, op);
    EXPECT_EQ(answer_to(2).status, op_status::renewed);
    EXPECT_THAT(statuses(2), ElementsAre(op_status::renewed, op_status::renewed, op_status::renewed,
                                         op_status::renewed));
    ASSERT_EQ(answer_to(2).beats.size(), op.items.size());
    for (std::size_t at = 0; at < op.items.size(); ++at) {
        EXPECT_EQ(answer_to(2).beats[at].ticket, op.items[at].ticket);
    }
    EXPECT_THAT(received("a:1"), ElementsAre("EVALSHA"));
    EXPECT_EQ(servers["a:1"].commands[0].at(2), "0") << "keys of two slots are arguments";
    EXPECT_THAT(received("b:2"), ElementsAre("EVALSHA"));
    EXPECT_EQ(servers["b:2"].commands[0].at(2), "1") << "a single key is declared";
    EXPECT_THAT(received("c:3"), ElementsAre("EVALSHA"));
}

TEST_F(redis_cluster_beat, fails_only_the_items_of_a_node_that_is_down) {
    submit(1, beat({in_a, in_b, in_c}));
    submit(3, beat({in_a, in_b, in_c}));
    servers["b:2"].up = false;
    submit(2, beat({in_a, in_b, in_c}));
    advance(2s);
    ASSERT_EQ(answer_to(2).beats.size(), 3U);
    EXPECT_EQ(answer_to(2).beats[0].status, op_status::renewed);
    EXPECT_EQ(answer_to(2).beats[1].error, errc::unavailable);
    EXPECT_EQ(answer_to(2).beats[2].status, op_status::renewed);
}

TEST_F(redis_cluster_beat, leaves_the_items_of_a_node_unknown_that_does_not_reply) {
    submit(1, beat({in_a, in_b, in_c})); // finds the slots
    submit(3, beat({in_a, in_b, in_c})); // connects
    servers["b:2"].silent = true;
    submit(2, beat({in_a, in_b, in_c}));
    advance(2s);
    EXPECT_THAT(statuses(2),
                ElementsAre(op_status::renewed, op_status::unknown, op_status::renewed));
}

TEST_F(redis_cluster_beat, sends_an_item_again_whose_slot_has_moved) {
    submit(1, beat({in_a, in_b}));
    const auto slot = std::to_string(engine::redis::native_slot(also_in_a));
    servers["a:1"].on_script = [slot](const auto& request) {
        return request.at(2) == "1" ? "-MOVED " + slot + " c:3\r\n" : renewed(2, {1});
    };
    servers["c:3"].commands.clear();
    submit(2, beat({in_a, also_in_a}));
    EXPECT_THAT(statuses(2), ElementsAre(op_status::renewed, op_status::renewed));
    EXPECT_THAT(received("c:3"), ElementsAre("EVALSHA"));
}

TEST_F(redis_cluster_beat, gives_up_an_item_that_no_node_has) {
    submit(1, beat({in_a, in_b}));
    servers["a:1"].on_script = [](const auto& request) {
        return renewed(items_of(request), {items_of(request) - 1});
    };
    submit(2, beat({in_a, also_in_a}));
    EXPECT_THAT(statuses(2), ElementsAre(op_status::renewed, op_status::unknown));
    EXPECT_EQ(answer_to(2).beats[1].error, errc::unavailable);
}

TEST_F(redis_cluster_beat, may_be_cancelled) {
    submit(1, beat({in_a, in_b}));
    servers["b:2"].silent = true;
    submit(2, beat({in_a, in_b}));
    mine->cancel(2);
    advance(3s);
    EXPECT_EQ(answer_to(2).detail, "no answer");
}

class redis_cluster_list : public redis_cluster {
protected:
    /// Each server has one lock, of its own name.
    redis_cluster_list() {
        for (auto& [address, server] : servers) {
            server.on_command = [slots = server.on_command,
                                 name = address.substr(0, 1)](const auto& request) {
                if (request.front() == "CLUSTER") { return slots(request); }
                return "*2\r\n$1\r\n0\r\n*1\r\n" + redis_fake::bulk("hf:{" + name + '}');
            };
            server.on_script = [](const auto&) {
                return "*6\r\n:5\r\n:7\r\n$1\r\nm\r\n:1\r\n*1\r\n*6\r\n" +
                       redis_fake::bulk(std::string(48, '1')) + ":7\r\n:9\r\n:0\r\n:1\r\n" +
                       redis_fake::bulk(std::string(40, 'x')) + "*0\r\n";
            };
        }
    }
    /// The names on all pages.
    [[nodiscard]] std::vector<std::string> walk() {
        std::vector<std::string> out;
        std::string cursor;
        for (engine::op_id id = 1; id < 20; ++id) {
            submit(id, engine::list_op{{}, cursor, 100, {}});
            if (!answer_to(id).report) { break; }
            for (const auto& each : answer_to(id).report->locks) { out.push_back(each.name); }
            cursor = answer_to(id).report->cursor;
            if (cursor.empty()) { break; }
            if (after_page) { after_page(); }
        }
        return out;
    }
    std::function<void()> after_page;
};

TEST_F(redis_cluster_list, walks_all_masters) { EXPECT_THAT(walk(), ElementsAre("a", "b", "c")); }

TEST_F(redis_cluster_list, goes_on_when_a_node_has_left) {
    after_page = [this] {
        slots_are({{0, 5460, "a:1"}, {5461, 16383, "c:3"}});
        advance(11s);
    };
    EXPECT_THAT(walk(), ElementsAre("a", "c"));
}

TEST_F(redis_cluster_list, leaves_out_a_lock_whose_slot_is_being_moved) {
    servers["b:2"].on_script = [](const auto&) { return "-MOVED 1 a:1\r\n"; };
    EXPECT_THAT(walk(), ElementsAre("a", "c"));
}

} // namespace
} // namespace holdfast::test
