#include "support/redis_fake.hpp"

#include "holdfast/engine/redis/scripts.hpp"
#include "support/redis_reply.hpp"

#include <array>
#include <chrono>
#include <poll.h>
#include <sys/socket.h>
#include <utility>

namespace holdfast::test {

namespace {

namespace scripts = engine::redis::scripts;

constexpr milliseconds look_for_stop{20};

std::string sha_of(const std::string& text) {
    for (const auto* const script : {&scripts::acquire, &scripts::release, &scripts::beat,
                                     &scripts::withdraw, &scripts::break_lock, &scripts::inspect}) {
        if (script->text == text) { return std::string{script->sha}; }
    }
    return std::string(40, '0');
}

std::string time_now() {
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(since_epoch).count();
    constexpr std::int64_t million = 1'000'000;
    return "*2\r\n" + redis_fake::bulk(std::to_string(us / million)) +
           redis_fake::bulk(std::to_string(us % million));
}

} // namespace

redis_fake::redis_fake(reply_function reply_to)
    : reply_to_{std::move(reply_to)}, thread_{[this](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
              if (const auto client = listener_.accept(look_for_stop)) { serve(client, stop); }
          }
      }} {}

std::string redis_fake::url() const { return "redis://127.0.0.1:" + std::to_string(port()); }

void redis_fake::serve(const base::fd& client, const std::stop_token& stop) const {
    std::string unread;
    std::array<char, 16'384> buffer{};
    while (!stop.stop_requested()) {
        pollfd ready{.fd = client.get(), .events = POLLIN, .revents = 0};
        if (::poll(&ready, 1, static_cast<int>(look_for_stop.count())) <= 0) { continue; }
        const auto count = ::recv(client.get(), buffer.data(), buffer.size(), 0);
        if (count <= 0) { return; }
        unread.append(buffer.data(), static_cast<std::size_t>(count));
        std::string replies;
        std::string_view rest{unread};
        while (const auto request = redis_reply::take(rest)) {
            words command;
            for (const auto& word : request->items()) { command.push_back(word.string()); }
            replies += reply_to_(command);
        }
        unread.erase(0, unread.size() - rest.size());
        if (::send(client.get(), replies.data(), replies.size(), MSG_NOSIGNAL) < 0) { return; }
    }
}

std::string redis_fake::bulk(const std::string& text) {
    return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
}

std::string redis_fake::push(const std::string& channel, const std::string& text) {
    return ">3\r\n" + bulk("message") + bulk(channel) + bulk(text);
}

std::string redis_fake::usual(const words& request) {
    const auto& command = request.at(0);
    if (command == "HELLO" && request.at(1) == "2") {
        return "*14\r\n" + bulk("server") + bulk("redis") + bulk("version") + bulk("7.0.15") +
               bulk("proto") + ":2\r\n" + bulk("id") + ":1\r\n" + bulk("mode") +
               bulk("standalone") + bulk("role") + bulk("master") + bulk("modules") + "*0\r\n";
    }
    if (command == "CLIENT" || command == "HELLO") { return {}; } // CLIENT REPLY SKIP
    if (command == "SUBSCRIBE") {
        std::string confirmed;
        for (std::size_t at = 1; at < request.size(); ++at) {
            confirmed += ">3\r\n" + bulk("subscribe") + bulk(request.at(at)) + ':' +
                         std::to_string(at) + "\r\n";
        }
        return confirmed;
    }
    if (command == "SCRIPT") { return bulk(sha_of(request.at(2))); }
    if (command == "TIME") { return time_now(); }
    if (command == "INFO") { return "=12\r\ntxt:# Memory\r\n"; }
    if (command != "EVALSHA") { return "-ERR unknown command\r\n"; }
    return request.at(1) == scripts::acquire.sha ? ":1700000000000001\r\n" : ":1\r\n";
}

} // namespace holdfast::test
