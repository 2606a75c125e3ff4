#pragma once
// The floor of the plain layout: the very commands that Holdfast sends in it, by hiredis.

#include "redis/wire.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::bench::redis {

/// SET NX PX and the call of our release script, as words, with a new owner each time.
class plain_calls {
public:
    explicit plain_calls(const std::string& name);

    void renumber();
    void acquire(wire& to) const; ///< appends it
    void release(wire& to) const;

private:
    std::string name_;
    std::string client_;
    std::string owner_;
    std::uint64_t number_ = 1'000'000; ///< as long as after some use
};

/// Each reply awaited.
class plain_commands {
public:
    plain_commands(std::uint16_t port, const std::string& name);
    void cycle();

private:
    wire to_;
    plain_calls calls_;
};

/// So many holds on their way at once on one connection.
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

    wire to_;
    std::vector<slot> slots_;
    std::size_t at_ = 0; ///< replies come in the order of the commands
};

} // namespace holdfast::bench::redis
