#include "holdfast/engine/redis/topology/sentinel_link.hpp"

#include "holdfast/engine/redis/protocol/command.hpp"
#include "holdfast/engine/redis/protocol/server_version.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace holdfast::engine::redis {

using base::instant;

namespace {

constexpr std::string_view switch_channel = "+switch-master";
/// The sentinel that leads a failover publishes this when the new master is promoted, and names it
/// from then on. It publishes the switch only when the other replicas follow, maybe seconds later.
constexpr std::string_view promotion_channel = "+failover-state-reconf-slaves";
constexpr const char* unexpected_reply =
    ": it sent a reply that was not expected; check the address";

options for_sentinels(options out) {
    out.user = out.sentinel->user;
    out.password = out.sentinel->password;
    out.database = 0;
    return out;
}

connection::first_commands subscription() {
    connection::first_commands out;
    append_command(out.bytes, {"SUBSCRIBE", switch_channel, promotion_channel});
    out.replies = 2;
    return out;
}

std::uint16_t port_of(std::string_view text) noexcept {
    std::uint16_t port = 0;
    std::from_chars(text.data(), text.data() + text.size(), port);
    return port;
}

} // namespace

sentinel_link::sentinel_link(const options& options, std::size_t index, master_claims& claims)
    : options_{for_sentinels(options)},
      server_{options.sentinel->servers[index]},
      master_{options.sentinel->master},
      index_{index},
      claims_{claims},
      reconnector_{options_, *this, [](instant) { return subscription(); }} {}

std::string sentinel_link::server() const { return "Sentinel at " + server_.text(); }

std::optional<rejection> sentinel_link::reject(const hello& hello) const {
    if (hello.mode == "sentinel") { return std::nullopt; }
    return rejection{errc::unsupported, " is no sentinel; for a server of locks write redis://"};
}

/// The advice of `parse_server_error` is about the URL of a server of locks.
server_error sentinel_link::explain(std::string_view text, const std::string& address) const {
    auto out = parse_server_error(text, address);
    out.detail = "Sentinel at " + address + ": " + std::string{text};
    if (out.code == errc::store_forbidden) {
        out.detail += ": correct sentinel_user and sentinel_password in the URL, which are not "
                      "those of the servers of locks";
    }
    return out;
}

void sentinel_link::ask(instant now, connect_when when) {
    if (replies_due_ > 0) {
        // The reply may have been sent before the reason to ask.
        ask_again_ = true;
        return claims_.on_asked(index_);
    }
    if (reconnector_.is_ready()) {
        claims_.on_asked(index_);
        return send_query(now);
    }
    reconnector_.open(now, when);
    // It asks when it is ready. A connection that has failed already is reported by `drive`.
    if (!reconnector_.is_down() || reconnector_.due() <= now) { claims_.on_asked(index_); }
}

void sentinel_link::send_query(instant now) {
    auto& out = reconnector_.current()->output().unsent;
    append_command(out, {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", master_});
    append_command(out, {"SENTINEL", "MASTER", master_}); // for its config-epoch
    replies_due_ = 2;
    ask_again_ = false;
    asked_ = now;
    refresh_ = now + refresh_pause;
    reconnector_.current()->flush();
}

void sentinel_link::drive(std::span<const pollfd> ready, instant now) {
    handle(reconnector_.drive(ready, now, [this, now](const reply& reply) { on_data(reply, now); }),
           now);
    if (!reconnector_.is_ready()) { return; }
    if (replies_due_ > 0 && now >= asked_ + options_.command_timeout) {
        break_off(": no answer within " + std::to_string(options_.command_timeout.count()) + " ms");
        handle(reconnector_.drive({}, now, {}), now);
    } else if (replies_due_ == 0 && (ask_again_ || now >= refresh_)) {
        send_query(now);
    }
}

void sentinel_link::handle(reconnector::change change, instant now) {
    if (change == reconnector::change::ready) { send_query(now); }
    if (change != reconnector::change::ended) { return; }
    replies_due_ = 0;
    ask_again_ = false;
    claims_.on_down(index_, reconnector_.code(), reconnector_.detail(), now);
}

void sentinel_link::break_off(const std::string& fault) {
    reconnector_.break_off(errc::unavailable, server() + fault);
}

void sentinel_link::on_data(const reply& reply, instant now) {
    if (reply.is_push()) { return on_push(reply, now); }
    if (!reconnector_.is_ready()) { return break_off(no_resp3); }
    if (replies_due_ == 0) { return break_off(unexpected_reply); }
    if (replies_due_-- == 2) { return on_address(reply); }
    on_details(reply, now);
}

/// E.g. this user has no permission for the command.
void sentinel_link::on_refused(const reply& reply) {
    auto error = explain(reply.text(), server_.text());
    reconnector_.break_off(error.code, std::move(error.detail));
}

/// Host and port, or null for a name that it does not know.
void sentinel_link::on_address(const reply& reply) {
    named_ = {std::string{reply.word(0)}, port_of(reply.word(1))};
    if (reply.is_error()) {
        on_refused(reply);
    } else if (!reply.is_null() && (named_.host.empty() || named_.port == 0)) {
        break_off(unexpected_reply);
    }
}

/// A map of all that it knows of the master, or an error for a name that it does not know.
void sentinel_link::on_details(const reply& reply, instant now) {
    if (named_.port == 0) { return claims_.on_ignorant(index_); }
    if (reply.is_error()) { return on_refused(reply); }
    for (std::size_t at = 0; at + 1 < reply.size(); at += 2) {
        if (reply.word(at) != "config-epoch") { continue; }
        const auto epoch = static_cast<std::uint64_t>(reply.number(at + 1));
        return claims_.on_named(index_, std::move(named_), epoch, now);
    }
    break_off(unexpected_reply);
}

/// A switch is `name oldhost oldport newhost newport`, a promotion `master name oldhost oldport`.
void sentinel_link::on_push(const reply& push, instant now) {
    if (push.word(0) != "message") { return; }
    std::array<std::string_view, 5> words;
    auto rest = push.word(2);
    for (auto& word : words) {
        word = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
    const bool is_switch = push.word(1) == switch_channel;
    if (words[is_switch ? 0 : 1] != master_) { return; }
    const auto port = port_of(words[4]);
    if (is_switch && port != 0) { claims_.on_switched(index_, {std::string{words[3]}, port}, now); }
    ask_again_ = true; // for the epoch, and after a promotion for the address
}

instant sentinel_link::due() const noexcept {
    const auto next = reconnector_.due();
    if (!reconnector_.is_ready()) { return next; }
    if (replies_due_ > 0) { return std::min(next, asked_ + options_.command_timeout); }
    return ask_again_ ? instant{} : std::min(next, refresh_);
}

void sentinel_link::reset() noexcept {
    reconnector_.break_off(errc::unavailable, "out of memory"); // needs no allocation
}

} // namespace holdfast::engine::redis
