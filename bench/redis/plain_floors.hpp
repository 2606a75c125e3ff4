#pragma once
// The floor for the plain layout: the commands that Holdfast sends in it, with hiredis.

#include "redis/hiredis_connection.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::bench::redis {

/// SET NX PX and the call of Holdfast's release script, with a new owner each time.
class plain_calls {
public:
    explicit plain_calls(const std::string& name);

    void renumber();
    void acquire(hiredis_connection& connection) const; ///< appends it
    void release(hiredis_connection& connection) const;

private:
    std::string name_;
    std::string client_;
    std::string owner_;
    std::uint64_t number_ = 1'000'000; ///< with as many digits as after some use
};

/// Loads the script that plain_calls calls.
void load_plain_scripts(hiredis_connection& connection);
/// Throws if the reply to SET NX is not that of a free lock.
void expect_taken(const ::redisReply& answer);

/// Each reply awaited.
class plain_command_lock {
public:
    plain_command_lock(std::uint16_t port, const std::string& name);
    void cycle();

private:
    hiredis_connection connection_;
    plain_calls calls_;
};

/// `depth` holds in flight on one connection.
class plain_pipeline {
public:
    plain_pipeline(std::uint16_t port, std::size_t depth);
    /// One reply, and the command that follows from it; two steps are a cycle.
    void step();

private:
    struct slot {
        plain_calls calls;
        bool held = false;
    };
    void send_next(slot& entry);

    hiredis_connection connection_;
    std::vector<slot> slots_;
    std::size_t at_ = 0; ///< replies come in the order of the commands
};

} // namespace holdfast::bench::redis
