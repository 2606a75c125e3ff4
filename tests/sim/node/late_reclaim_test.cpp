// A renewal in the grace period that comes too late to make its hold again.

#include "holdfast/engine/redis/protocol/command.hpp"
#include "holdfast/engine/redis/scripts.hpp"
#include "sim/node/lua_vm.hpp"
#include "sim/node/script_library.hpp"
#include "sim/node/sim_redis.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace holdfast::sim {
namespace {

namespace scripts = engine::redis::scripts;
using engine::redis::append_command;

constexpr std::int64_t begin_us = 1'800'000'000'000'000;

/// A server without the lock's data, in its grace period.
class late_reclaim : public testing::Test {
protected:
    late_reclaim() {
        server_.set_clock(begin_us);
        server_.open(session);
        for (const auto* const script : {&scripts::verify, &scripts::grace_beat}) {
            call({"SCRIPT", "LOAD", script->text});
        }
        for (const auto& claimed : {std::string{}, id_}) {
            call({"EVALSHA", scripts::verify.sha, "1", "hf:run", "00001000", "2020000", claimed});
        }
    }
    std::string call(std::initializer_list<std::string_view> words) {
        std::string command;
        append_command(command, words);
        server_.receive(session, command);
        std::string out;
        server_.take_output([&](unsigned, const std::string& bytes) { out = bytes; });
        return out;
    }
    /// The answer to the renewal of a hold that is to be made again until `not_after_us`.
    std::string renew(std::int64_t not_after_us) {
        const auto item = std::string(16, '0') + std::string(48, '1') + "00001000" +
                          "000000000001" + "r" + std::to_string(begin_us - 1) +
                          std::to_string(not_after_us) + "mx-00001000010000100000000000000g0\nh\n";
        return call({"EVALSHA", scripts::grace_beat.sha, "1", "hf:{lock}", item, id_});
    }

private:
    static constexpr unsigned session = 1;
    lua_vm vm_;
    script_library scripts_{vm_};
    sim_redis server_{scripts_};
    std::string id_ = server_.replication().id().substr(0, 16);
};

TEST_F(late_reclaim, is_asked_for_again_because_nobody_knows_whether_the_hold_is_lost) {
    EXPECT_EQ(renew(begin_us - 1), "*1\r\n:3\r\n") << "the holder would lose a valid lease";
    EXPECT_EQ(renew(begin_us + 1000), "*1\r\n:2\r\n") << "made again";
}

} // namespace
} // namespace holdfast::sim
