#pragma once
// A fixture: a Redis server, a proxy before it that causes faults, and ways to inspect the server.

#include "holdfast/engine/redis/scripts.hpp"
#include "proxy/proxy.hpp"
#include "support/background.hpp"
#include "support/recording_observer.hpp"
#include "support/redis_server.hpp"
#include "support/seam_client.hpp"
#include "support/timing.hpp"

#include <holdfast/holdfast.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::test {

/// The bytes by which the proxy recognises a call of a script.
[[nodiscard]] inline std::string call_of(const engine::redis::script& script) {
    return std::string{script.sha};
}
namespace scripts = engine::redis::scripts;

/// The error that an operation threw.
struct complaint {
    std::error_code code;
    std::string text;
};

/// Runs `action`; no error: an empty code.
template <class Action>
[[nodiscard]] complaint complaint_of(Action action) {
    try {
        action();
    } catch (const error& thrown) { return {thrown.code(), thrown.what()}; }
    return {{}, "no error"};
}

/// Keeps the server busy. Within a script of a later server TIME stands still; these have os.clock.
[[nodiscard]] inline std::vector<std::string> slow_script(milliseconds how_long) {
    return {"EVAL",
            "local os = rawget(_G, 'os') "
            "local function clock() "
            "  if os and os.clock then return os.clock() end "
            "  local now = redis.call('TIME') "
            "  return now[1] + now[2] / 1000000 "
            "end "
            "local start = clock() "
            "repeat until (clock() - start) * 1000 > tonumber(ARGV[1])",
            "0", std::to_string(how_long.count())};
}

/// The server ends the connections of all clients. (To Redis, a subscriber has this type.)
inline void drop_connections(redis_server& server) {
    server.command({"CLIENT", "KILL", "TYPE", "pubsub"});
}

class redis_fault : public testing::Test {
protected:
    /// Through the proxy, or to the server itself. `query` is e.g. "?timeout=300".
    [[nodiscard]] client connect(const std::string& query = {}, client_options options = {}) const {
        return client{between.url() + query, std::move(options)};
    }
    [[nodiscard]] client direct() const { return client{server.url()}; }

    /// Inspects a name without the proxy; no holders and waiters if it is not in use.
    [[nodiscard]] lock_info look(std::string_view name = "stock") {
        if (!looker_) { looker_.emplace(server.url()); }
        return admin{*looker_}.inspect(name).value_or(lock_info{});
    }
    [[nodiscard]] bool will_wait(std::size_t count, std::string_view name = "stock") {
        return eventually([&] { return look(name).waiters.size() == count; });
    }
    /// Whether this many clients are subscribed.
    [[nodiscard]] bool will_listen(std::size_t count) {
        return eventually([&] {
            const auto inboxes = "hf:inbox:" + std::string(32, '?');
            return server.command({"PUBSUB", "CHANNELS", inboxes}).items().size() == count;
        });
    }
    [[nodiscard]] bool is_held(std::string_view name = "stock") {
        return !look(name).holders.empty();
    }

    /// All keys on the server, sorted.
    [[nodiscard]] std::vector<std::string> keys() {
        std::vector<std::string> out;
        const auto all = server.command({"KEYS", "*"});
        for (const auto& key : all.items()) { out.push_back(key.string()); }
        std::ranges::sort(out);
        return out;
    }
    /// The record of a name as it is stored, without settling anything.
    [[nodiscard]] std::string record(const std::string& name = "stock") {
        const auto got = server.command({"GET", "hf:{" + name + "}"});
        return got.is_nil() ? std::string{} : got.string();
    }
    /// The highest token in the record; 0: there is none.
    [[nodiscard]] std::uint64_t stored_token(const std::string& name = "stock") {
        const auto now = record(name);
        return now.empty() ? 0 : std::stoull(now.substr(4, 16));
    }
    /// How many entries the stored queue has, dead waiters included.
    [[nodiscard]] std::int64_t queued(const std::string& name = "stock") {
        return server.command({"ZCARD", "hf:{" + name + "}:q"}).number();
    }

    redis_server server;
    proxy between{server.port()};

private:
    std::optional<client> looker_;
};

/// Waits in the background for the lock.
[[nodiscard]] inline auto wait_for(client& client, lock_options options = {},
                                   std::string name = "stock") {
    return background{
        [&client, options = std::move(options), name = std::move(name)](std::stop_token stop) {
            return mutex{client, name, options}.acquire({.stop = std::move(stop)});
        }};
}

} // namespace holdfast::test
