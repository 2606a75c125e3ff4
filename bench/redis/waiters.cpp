#include "redis/waiters.hpp"

#include "redis/hiredis_connection.hpp"

#include <charconv>
#include <stdexcept>
#include <string_view>

namespace holdfast::bench::redis {

namespace {

class our_waiter final : public waiter {
public:
    our_waiter(const std::string& url, releases releases)
        : fleet_{url, {.pipeline_release = releases == releases::pipelined}},
          lock_{fleet_, contended} {
        fleet_.ping();
    }
    void take() override { lock_.lock(); }
    void pass() override { lock_.unlock(); }

private:
    client fleet_;
    mutex lock_;
};

class list_waiter final : public waiter {
public:
    explicit list_waiter(std::uint16_t port) : connection_{port} {}
    void take() override {
        const auto answer = connection_.ask({"BLPOP", contended, "0"});
        if (answer->type != REDIS_REPLY_ARRAY) { throw std::runtime_error{"no token"}; }
    }
    void pass() override { connection_.ask({"RPUSH", contended, "token"}); }

private:
    hiredis_connection connection_;
};

class our_lock_gate final : public gate {
public:
    explicit our_lock_gate(const std::string& url) : fleet_{url}, lock_{fleet_, contended} {
        lock_.lock();
    }
    void open() override { lock_.unlock(); }
    std::size_t waiting() override {
        const auto seen = admin{fleet_}.inspect(contended);
        return seen ? seen->waiters.size() : 0;
    }

private:
    client fleet_;
    mutex lock_;
};

class empty_list_gate final : public gate {
public:
    explicit empty_list_gate(std::uint16_t port) : connection_{port} {}
    void open() override { connection_.ask({"RPUSH", contended, "token"}); }
    std::size_t waiting() override {
        const auto answer = connection_.ask({"INFO", "clients"});
        constexpr std::string_view field = "blocked_clients:";
        const std::string_view text{answer->str, answer->len};
        const auto server = text.find(field);
        std::size_t out = 0;
        if (server != std::string_view::npos) {
            std::from_chars(text.data() + server + field.size(), text.data() + text.size(), out);
        }
        return out;
    }

private:
    hiredis_connection connection_;
};

} // namespace

make_waiter our_waiters(const server& server, releases releases) {
    return [url = server.url(), releases] { return std::make_unique<our_waiter>(url, releases); };
}

make_waiter list_waiters(const server& server) {
    return [port = server.port()] { return std::make_unique<list_waiter>(port); };
}

make_gate our_gate(const server& server) {
    return [url = server.url()] { return std::make_unique<our_lock_gate>(url); };
}

make_gate list_gate(const server& server) {
    return [port = server.port()] { return std::make_unique<empty_list_gate>(port); };
}

} // namespace holdfast::bench::redis
