// TLS encrypts a command before the socket has room for it. From then on it must not change: what
// was encrypted is sent, and of the changed command the rest, which the server takes for others.

#include "support/redis_server.hpp"
#include "support/scratch_folder.hpp"
#include "support/seam_client.hpp"
#include "support/timing.hpp"
#include "support/tls_server.hpp"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::test {
namespace {

using engine::op_status;

class tls_full_socket : public testing::Test {
protected:
    [[nodiscard]] bool will_answer(engine::op_id id) {
        return eventually([&] {
            mine.drive_for(1ms);
            return mine.answer_to(id).has_value();
        });
    }
    /// Releases it again and again until the socket is full; the last release.
    [[nodiscard]] engine::op_id fill(const engine::ticket& held) {
        constexpr int too_many = 90'000;
        for (int i = 0; i < too_many; ++i) {
            const auto release = mine.start(engine::release_op{held});
            mine.send();
            if (mine.waits_for_room()) { return release; }
        }
        ADD_FAILURE() << "the socket is never full";
        return 0;
    }

    const scratch_folder folder;
    tls_authority authority{folder.path()};
    redis_server server{tls_server(authority)};
    seam_client mine{server.url() + "?timeout=60000&ca=" + authority.ca_file()};
    seam_client other{"redis+unix://" + server.unix_path().string()};
};

TEST_F(tls_full_socket, keeps_a_release_and_the_acquire_behind_it_apart) { // P1
    const auto theirs = other.ticket("stock");
    const auto granted = other.acquire(theirs);
    ASSERT_EQ(granted.status, op_status::granted);
    const auto held = mine.ticket(std::string(500, 'n'));
    ASSERT_EQ(mine.acquire(held).status, op_status::granted);
    // Once, so that the script which does both at once is loaded.
    mine.start(engine::release_op{mine.ticket("warm")});
    ASSERT_TRUE(will_answer(mine.start(seam_client::acquire_op(mine.ticket("warm"), {}))));

    server.pause();
    const auto release = fill(held);
    const auto acquire = mine.start(
        seam_client::acquire_op(mine.ticket("stock"), {.note = "SET injected by-a-note"}));
    mine.send();
    server.resume();
    ASSERT_TRUE(will_answer(release));
    ASSERT_TRUE(will_answer(acquire));
    EXPECT_EQ(mine.answer_to(release)->status, op_status::released);
    EXPECT_EQ(mine.answer_to(acquire)->status, op_status::busy) << "the other client holds it";
    EXPECT_EQ(mine.ask(engine::diagnose_op{}).status, op_status::reported)
        << "what comes next is answered as well";
    EXPECT_EQ(server.command({"EXISTS", "injected"}).number(), 0) << "a note became a command";
    const auto seen = other.inspect("stock");
    ASSERT_EQ(seen.holders.size(), 1U);
    EXPECT_EQ(seen.holders.front().token, granted.token);
}

} // namespace
} // namespace holdfast::test
