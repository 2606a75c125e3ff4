#pragma once
// What one server says about itself, parsed; it has no I/O.

#include "holdfast/engine/checkup.hpp"
#include "holdfast/engine/redis/protocol/reply.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::engine::redis {

/// A script in the server's slow log.
struct slow_script {
    std::chrono::microseconds took{0};
    std::string command{}; ///< EVALSHA, EVAL, FCALL, ...
};

/// Keys that begin with our prefix.
struct key_facts {
    std::size_t seen = 0;
    bool all_seen = true; ///< false: there are more than were looked at
    std::size_t foreign = 0;
    std::string foreign_example{};
    std::size_t eternal = 0; ///< keys of locks that never expire
    std::string eternal_example{};
};

struct server_facts {
    std::string address{};
    std::string failure{}; ///< of the connection; empty: it answers
    std::string refusal{}; ///< its error reply to HELLO; empty: it lets us in
    // From HELLO.
    std::string product{}; ///< redis, valkey
    std::string version{};
    std::string mode{}; ///< standalone, cluster, sentinel
    std::string role{}; ///< master, replica
    std::optional<clock_reading> clock{};
    std::string trouble{}; ///< LOADING, BUSY or another error to the simplest command; or empty
    std::string info{};    ///< the text of INFO; empty: it was refused
    std::string info_error{};
    std::map<std::string, std::string, std::less<>> config{}; ///< empty: it was refused
    std::string config_error{};
    std::optional<std::vector<slow_script>> slow_scripts{}; ///< empty: it was refused
    std::optional<key_facts> keys{};                        ///< empty: it was refused
    std::optional<std::string> node_record{};               ///< the value of <prefix>node
    std::string cluster_info{};                             ///< the text of CLUSTER INFO
    std::string cluster_nodes{};                            ///< the text of CLUSTER NODES

    [[nodiscard]] bool reached() const noexcept { return failure.empty() && refusal.empty(); }
    /// A line of INFO; empty: there is none.
    [[nodiscard]] std::string_view info_value(std::string_view key) const;
    /// Of CONFIG, or of INFO where that has it as well; empty: not known.
    [[nodiscard]] std::string_view setting(std::string_view key) const;
    [[nodiscard]] std::uint64_t number(std::string_view key) const; ///< of INFO; 0: none
};

void read_hello(const reply& reply, server_facts& out);
/// `sent` and `received` are readings of our wall clock in microseconds.
[[nodiscard]] std::optional<clock_reading> read_time(const reply& reply, const std::string& server,
                                                     std::int64_t sent, std::int64_t received);
/// INFO's text, which RESP3 marks as `txt:`.
[[nodiscard]] std::string read_text(const reply& reply);
[[nodiscard]] std::map<std::string, std::string, std::less<>> read_pairs(const reply& reply);
[[nodiscard]] std::vector<slow_script> read_slow_scripts(const reply& reply);

/// Whether a key that begins with the prefix has the form of one of ours.
[[nodiscard]] bool is_our_key(std::string_view key, std::string_view prefix);
/// Whether it belongs to one lock: all such keys expire.
[[nodiscard]] bool is_lock_key(std::string_view key, std::string_view prefix);

} // namespace holdfast::engine::redis
