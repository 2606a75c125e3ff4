#pragma once
// The floors for locks on Redis: hiredis alone.

#include "holdfast/base/ids.hpp"
#include "redis/hiredis_connection.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::bench::redis {

/// Floor (a): SET NX PX, then EVALSHA compare-and-delete. No token, no queue.
class plain_lock {
public:
    plain_lock(std::uint16_t port, std::string name);
    void cycle();

private:
    hiredis_connection connection_;
    std::string sha_;
    std::string name_;
    std::string owner_;
    std::uint64_t number_ = 0;
};

enum class call_kind {
    request, ///< of one server, which chooses the token
    vote,    ///< of a node of a quorum: with a proposed token
};

/// The words of the two commands that Holdfast sends for a hold, with a new owner number each time.
class script_calls {
public:
    explicit script_calls(const std::string& name, call_kind kind = call_kind::request);
    script_calls(script_calls&&) = default;
    script_calls& operator=(script_calls&&) = default;
    script_calls(const script_calls&) = delete; // its parts point at each other
    script_calls& operator=(const script_calls&) = delete;
    ~script_calls() = default;

    /// Sets the next owner number in both commands, and the next token.
    void renumber();
    [[nodiscard]] std::span<const std::string_view> acquire() const noexcept { return acquire_; }
    [[nodiscard]] std::span<const std::string_view> release() const noexcept { return release_; }

private:
    base::owner_id owner_;
    std::vector<std::string> acquire_texts_;
    std::vector<std::string> release_texts_;
    std::vector<std::string_view> acquire_; ///< of the texts above
    std::vector<std::string_view> release_;
    std::vector<char*> numbers_; ///< the 16 digits in the texts
    char* not_after_ = nullptr;  ///< in the texts
    char* proposal_ = nullptr;   ///< likewise; null: none
    std::int64_t last_proposal_ = 0;
    std::chrono::system_clock::time_point good_until_{};
};

/// Floor (a'): Holdfast's scripts, each reply awaited.
class script_lock {
public:
    script_lock(std::uint16_t port, const std::string& name);
    void cycle();

private:
    hiredis_connection connection_;
    script_calls calls_;
};

/// Floor (c): Holdfast's scripts, `depth` holds in flight on one connection.
class script_pipeline {
public:
    script_pipeline(std::uint16_t port, std::size_t depth);
    /// One reply, and the command that follows from it; two steps are a cycle.
    void step();

private:
    struct slot {
        script_calls calls;
        bool held = false;
    };
    void send_next(slot& entry);

    hiredis_connection connection_;
    std::vector<slot> slots_;
    std::size_t at_ = 0; ///< replies come in the order of the commands
};

/// Loads the scripts that script_calls calls.
void load_scripts(hiredis_connection& connection);

/// Throw if the reply of a script is not that of an uncontended lock.
void expect_granted(const ::redisReply& answer);
void expect_released(const ::redisReply& answer);

} // namespace holdfast::bench::redis
