// Clients of the previous version, with records in format hf1, on one server with current ones. The
// test acts as such a client by the scripts of that version, which are kept in hf1/.

#include "fault/redis_fixture.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace holdfast::test {
namespace {

using engine::op_status;
using testing::HasSubstr;

/// One owner of the old version.
class old_client {
public:
    old_client(redis_server& server, char digit) : server_{server}, owner_(47, digit) {
        owner_ += '1';
    }
    redis_reply acquire(const std::string& kind_and_mode = "mx", milliseconds lease = 30s) {
        const auto not_after = std::string{"9007199254740991"};
        std::string digits = std::to_string(lease.count());
        digits.insert(0, 8 - digits.size(), '0');
        return run("acquire", {not_after + no_instant + owner_ + kind_and_mode + "-00001" +
                                   "00001" + digits + "00000000000" + "g" + "1\nhost\nold",
                               "0"});
    }
    redis_reply release() { return run("release", {no_instant + owner_}); }
    redis_reply renew(milliseconds lease = 30s) {
        return run("beat", {owner_, std::to_string(lease.count() * 1000)});
    }
    [[nodiscard]] std::string inbox() const { return "hf:inbox:" + owner_.substr(0, 32); }

private:
    redis_reply run(const std::string& script, const std::vector<std::string>& arguments) {
        const auto folder = std::filesystem::path{HOLDFAST_SOURCE_FOLDER} / "tests/fault/hf1";
        std::ostringstream text;
        text << std::ifstream{folder / (script + ".lua")}.rdbuf();
        std::vector<std::string> words{"EVAL", text.str(), "1", "hf:{stock}"};
        words.insert(words.end(), arguments.begin(), arguments.end());
        return server_.command(words);
    }

    static constexpr const char* no_instant = "0000000000000000";
    redis_server& server_;
    std::string owner_;
};

class redis_upgrade : public redis_fault {
protected:
    old_client old{server, 'a'};
    old_client older{server, 'b'};
    client here = direct();
    client other = direct();
};

TEST_F(redis_upgrade, waits_for_a_holder_of_the_previous_version) { // P1
    const auto token = static_cast<std::uint64_t>(old.acquire().number());
    EXPECT_FALSE((mutex{here, "stock"}.try_acquire()));
    auto waiting = wait_for(here);
    ASSERT_TRUE(will_wait(1));
    EXPECT_EQ(old.renew().items().at(0).number(), 1) << "it can renew while we wait";
    EXPECT_EQ(old.release().number(), 2) << "and hands its lock to us";
    auto got = waiting.get();
    EXPECT_GT(got.token(), token);
    got.extend(20s);
    EXPECT_TRUE(got.valid());
    EXPECT_EQ(record().substr(0, 3), "hf2");
    EXPECT_EQ(got.release(), release_answer::released);
}

TEST_F(redis_upgrade, refuses_a_late_acquire_also_while_the_previous_version_holds) { // P5
    ASSERT_GT(old.acquire().number(), 0);
    auto late = connect("?timeout=5000");
    between.hold_requests({.with = call_of(scripts::acquire)});
    background<bool> taken{[&](const std::stop_token&) {
        return mutex{late, "stock"}.try_acquire().has_value();
    }};
    ASSERT_TRUE(eventually([&] { return between.counts().held == 1; }));
    between.cut();
    EXPECT_FALSE(taken.get()) << record();
    EXPECT_EQ(old.release().number(), 1);
    server.command({"CONFIG", "RESETSTAT"});
    between.release();
    ASSERT_TRUE(eventually([&] { return server.calls_of("evalsha") > 0; }));
    EXPECT_FALSE(is_held()) << "by nobody";
}

TEST_F(redis_upgrade, is_granted_when_a_holder_of_the_previous_version_has_died) { // P7
    (void)old.acquire("mx", 300ms);
    const auto got = mutex{here, "stock"}.try_acquire_for(scaled(3s));
    ASSERT_TRUE(got);
    EXPECT_TRUE(old.renew().items().at(0).text().starts_with("-HFVERSION"));
    EXPECT_TRUE(got->valid());
}

TEST_F(redis_upgrade, is_refused_clearly_by_the_previous_version) { // P1
    auto held = mutex{here, "stock"}.acquire();
    EXPECT_THAT(old.acquire().text(), HasSubstr("HFVERSION"));
    held.release();
    EXPECT_THAT(old.acquire().text(), HasSubstr("HFVERSION")) << "also while it is remembered";
    server.command({"DEL", "hf:{stock}"}); // after a minute or two
    EXPECT_GT(old.acquire().number(), 0);
}

TEST_F(redis_upgrade, continues_the_tokens_of_the_previous_version) { // P3
    const auto first = old.acquire().number();
    ASSERT_EQ(old.release().number(), 1);
    auto idle = record();
    ASSERT_EQ(idle.substr(0, 4), "hf1i");
    idle.replace(4, 16, std::to_string(first + 3'600'000'000)); // the clock was an hour ahead
    server.command({"SET", "hf:{stock}", idle});
    auto held = mutex{here, "stock"}.acquire();
    const auto token = held.token();
    EXPECT_EQ(token, static_cast<std::uint64_t>(first) + 3'600'000'001);
    held.release();
    server.command({"DEL", "hf:{stock}"});
    EXPECT_GT((mutex{here, "stock"}.acquire().token()), token) << "the mark";
}

TEST_F(redis_upgrade, counts_readers_of_the_previous_version) { // P1
    ASSERT_GT(old.acquire("ss").number(), 0);
    ASSERT_GT(older.acquire("ss").number(), 0);
    EXPECT_FALSE((shared_mutex{here, "stock"}.try_acquire()));
    auto reader = shared_mutex{here, "stock"}.acquire_shared();
    EXPECT_EQ(look().holders.size(), 3U);
    EXPECT_FALSE((shared_mutex{other, "stock"}.try_acquire()));
}

TEST_F(redis_upgrade, serves_waiters_of_both_versions_in_their_order) { // P6
    redis_raw listener{server.port()};
    listener.send({"SUBSCRIBE", older.inbox()});
    ASSERT_TRUE(listener.read());
    (void)old.acquire();
    (void)older.acquire();
    auto waiting = wait_for(here);
    ASSERT_TRUE(will_wait(2));
    EXPECT_EQ(old.release().number(), 2);
    EXPECT_THAT(listener.read().value().text(), HasSubstr("message")) << "the older one was first";
    EXPECT_FALSE(waiting.done());
    EXPECT_EQ(older.release().number(), 2);
    EXPECT_TRUE(waiting.get().valid());
}

TEST_F(redis_upgrade, a_holder_of_the_previous_version_can_be_listened_to) {
    EXPECT_GT(old.acquire().number(), 0);
    seam_client all{server.url()};
    const auto mine = all.ticket("stock");
    ASSERT_EQ(all.acquire(mine, {.queue = engine::queueing::listen}).status, op_status::queued);
    EXPECT_EQ(record().substr(0, 4), "hf1q");
    EXPECT_EQ(old.renew().items().at(0).number(), 1);
    ASSERT_EQ(all.break_lock("stock").status, op_status::released);
    EXPECT_TRUE(all.await(engine::notice::kind::maybe_free, mine));
}

} // namespace
} // namespace holdfast::test
