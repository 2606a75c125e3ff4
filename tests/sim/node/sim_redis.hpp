#pragma once
// A simulated Redis server: it runs the shipped scripts on keys in memory, in virtual time.

#include "sim/node/commands.hpp"
#include "sim/node/key_space.hpp"
#include "sim/node/replication_state.hpp"
#include "sim/node/script_library.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::sim {

/// Commands come as bytes and replies leave as bytes, by session. Its clock stands still unless
/// `set_clock` moves it.
///
/// Thread safety: none.
class sim_redis final : private command_host {
public:
    using session_id = unsigned;

    /// `number` distinguishes it from other servers.
    explicit sim_redis(script_library& scripts, unsigned number = 0) noexcept
        : scripts_{scripts}, number_{number}, replication_{number} {}

    void set_clock(std::int64_t us) noexcept;
    [[nodiscard]] std::int64_t clock() const noexcept { return clock_us_; }

    void open(session_id session) { sessions_[session]; }
    void close(session_id session) { sessions_.erase(session); }
    [[nodiscard]] bool is_open(session_id session) const { return sessions_.contains(session); }
    /// Runs whole commands, up to a WAIT that blocks. REQUIRES: is_open(session).
    void receive(session_id session, std::string_view bytes);
    /// Ends one WAIT that enough replicas have acknowledged, or whose time is over, and runs what
    /// came behind it. Empty: there is none.
    std::optional<session_id> resume_one();
    /// When the clock shows this, the time of a WAIT is over. Empty: none blocks.
    [[nodiscard]] std::optional<std::int64_t> wait_due() const;
    /// Calls `take(session, bytes)` for each session that something is to be sent to.
    template <typename Take>
    void take_output(Take take) {
        for (auto& [id, each] : sessions_) {
            if (each.output.empty()) { continue; }
            take(id, each.output);
            each.output.clear();
        }
    }

    /// As after a restart: without sessions and scripts, with another run id and replication id.
    void restart();
    /// Its clients stay connected, except those that a WAIT blocks.
    void become_replica();
    /// How long it has run already when the clock shows `clock()`; a new server says so in INFO.
    void set_uptime(std::int64_t seconds) noexcept;
    void flush_all() {
        keys_.clear();
        replication_.note_change(keys_);
    }
    [[nodiscard]] key_space& keys() noexcept override { return keys_; }
    [[nodiscard]] replication_state& replication() noexcept { return replication_; }
    [[nodiscard]] const replication_state& replication() const noexcept { return replication_; }

private:
    /// A WAIT that blocks its session.
    struct pending_wait {
        std::int64_t replicas = 0;
        std::uint64_t offset = 0;
        std::int64_t deadline_us = 0;
    };
    struct session_state {
        std::string output{};
        std::string unread{}; ///< behind a WAIT
        std::optional<pending_wait> wait{};
        std::uint64_t offset = 0; ///< of the data after its last command
        bool ended = false;       ///< the server closes it
        std::vector<std::string> channels{};
        bool resp3 = false;
        bool skips_next = false; ///< the reply to the next command
    };

    void run_all(session_state& session, std::string_view bytes);
    void run(session_state& session);
    void wait(session_state& session, reply_sink& out);
    [[nodiscard]] bool is_over(const pending_wait& wait) const noexcept;
    [[nodiscard]] bool run_session_command(session_state& session, reply_sink& out);
    void hello(session_state& session, reply_sink& out);
    void subscribe(session_state& session);
    void unsubscribe(session_state& session);
    void run_script_command(reply_sink& out);
    [[nodiscard]] bool is_loaded(const known_script* script) const noexcept;
    void call_script(reply_sink& out);

    [[nodiscard]] std::int64_t clock_us() const noexcept override { return clock_us_; }
    std::size_t publish(std::string_view channel, std::string_view payload) override;
    [[nodiscard]] std::string info() const override;

    script_library& scripts_;
    unsigned number_;
    replication_state replication_;
    key_space keys_;
    std::map<session_id, session_state> sessions_;
    std::vector<bool> loaded_; ///< by a script's number
    std::int64_t clock_us_ = 0;
    std::int64_t started_us_ = 0;
    std::uint64_t run_ = 1;               ///< identifies this run of the server
    std::vector<std::string_view> words_; ///< of the command that runs
    std::string skipped_;
};

} // namespace holdfast::sim
