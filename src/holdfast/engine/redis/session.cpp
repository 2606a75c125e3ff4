#include "holdfast/engine/redis/session.hpp"

#include "holdfast/engine/redis/command.hpp"
#include "holdfast/engine/redis/failure.hpp"

#include <holdfast/error.hpp>

#include <array>
#include <charconv>
#include <utility>

namespace holdfast::engine::redis {

namespace {

constexpr unsigned oldest_redis = 7;

/// The value of a key in HELLO's flat list.
std::string_view field(const reply& reply, std::string_view key) {
    for (std::size_t at = 0; at + 1 < reply.size(); at += 2) {
        if (reply.word(at) == key) { return reply.word(at + 1); }
    }
    return {};
}

} // namespace

session::session(const place& where, const greeting& first, base::instant now)
    : where_{where},
      first_{first},
      stream_{net::stream::start(where.server)},
      opens_until_{now + where.connect_timeout} {
    if (stream_->now_in() == net::stream::state::failed) { stream_failed(); }
    if (stream_->now_in() == net::stream::state::open) { greet(); }
}

base::instant session::due() const noexcept {
    return state_ == state::ready || state_ == state::ended ? base::never : opens_until_;
}

int session::plain_descriptor() const noexcept {
    return state_ == state::ready ? stream_->plain_descriptor() : -1;
}

void session::end(std::error_code code, std::string detail) {
    if (state_ == state::ended) { return; }
    state_ = state::ended;
    code_ = code;
    detail_ = std::move(detail);
}

void session::stream_failed() {
    const bool hopeless = stream_->hopeless();
    end(hopeless ? errc::store_forbidden : errc::unavailable,
        server() + ": " + stream_->failure() + tls_hint());
}

/// A port that speaks TLS takes the greeting for nonsense, and hangs up.
const char* session::tls_hint() const noexcept {
    const bool plain = !where_.server.tls && where_.server.unix_path.empty();
    return plain && state_ == state::greeting && !heard_
               ? "; does this port speak TLS? Then write rediss://"
               : "";
}

void session::check(base::instant now) {
    if (state_ == state::opening && now >= opens_until_) {
        const auto step = stream_->step();
        std::string why =
            ": no connection within " + std::to_string(where_.connect_timeout.count()) + " ms";
        if (!step.empty()) { why += " (" + std::string{step} + ')'; }
        // A server without TLS waits for more of what it takes for a command.
        if (step == "TLS handshake") { why += "; does this port speak TLS?"; }
        end(errc::unavailable, server() + why);
    } else if (state_ == state::greeting && now >= opens_until_) {
        end(errc::unavailable, server() + ": it accepts connections but does not answer");
    }
}

void session::greet() {
    state_ = state::greeting;
    own_ = 1;
    if (where_.password.empty()) {
        append_command(hello_, {"HELLO", "2", "SETNAME", "holdfast"});
    } else {
        append_command(hello_, {"HELLO", "2", "AUTH", where_.user.empty() ? "default" : where_.user,
                                where_.password, "SETNAME", "holdfast"});
    }
    if (where_.database != 0) {
        append_command(hello_, {"SELECT", std::to_string(where_.database)});
        ++own_;
    }
    // RESP3, so that messages come over the same connection. What HELLO says of the server was
    // asked for in RESP2 before: its form in RESP3 is beyond hiredis before 1.0.
    append_command(hello_, {"CLIENT", "REPLY", "SKIP"});
    append_command(hello_, {"HELLO", "3"});
    hello_ += first_.commands;
    first_.commands.clear();
    flush();
}

void session::flush() {
    if (state_ != state::greeting && state_ != state::ready) { return; }
    if (!hello_.empty()) {
        hello_.erase(0, stream_->write(hello_));
        if (stream_->now_in() == net::stream::state::failed) { stream_failed(); }
        if (!hello_.empty()) { return; }
    }
    if (out_.empty() || state_ != state::ready) { return; }
    const auto taken = stream_->write(out_);
    sent_ += taken;
    if (taken == out_.size()) {
        out_.clear();
    } else {
        out_.erase(0, taken);
    }
    if (stream_->now_in() == net::stream::state::failed) { stream_failed(); }
}

void session::progress(const listener& hear) {
    if (state_ == state::opening) {
        stream_->progress();
        if (stream_->now_in() == net::stream::state::failed) { stream_failed(); }
        if (stream_->now_in() == net::stream::state::open) { greet(); }
        return;
    }
    read(hear);
    flush();
}

void session::read(const listener& hear) {
    std::array<char, 65'536> buffer; // NOLINT(cppcoreguidelines-pro-type-member-init): only written
    const bool plain = stream_->plain_descriptor() >= 0;
    while (state_ == state::greeting || state_ == state::ready) {
        const auto count = stream_->read(buffer);
        if (count == 0) { break; }
        take({buffer.data(), count}, hear);
        if (plain && count < buffer.size()) { return; } // more would have to come first
    }
    if (stream_->now_in() == net::stream::state::failed) { stream_failed(); }
}

void session::take(std::span<const char> bytes, const listener& hear) {
    const bool good = reader_.read(bytes, [&](const reply& reply) {
        heard_ = true;
        if (state_ == state::greeting) {
            heard_greeting(reply, hear);
        } else if (state_ == state::ready) {
            hear(reply);
        }
    });
    if (!good) {
        end(errc::unavailable, server() + ": what it says is not Redis's protocol (" +
                                   reader_.fault() + "); is the address right?");
    }
}

void session::heard_greeting(const reply& reply, const listener& hear) {
    if (reply.is_push() && reply.word(0) != "subscribe") { return hear(reply); }
    if (reply.is_error()) {
        auto why = explain(reply.text(), where_.server.text());
        const bool selecting = own_ == 1 && !hello_is_next_;
        if (why.code == errc::internal && selecting) {
            why.code = errc::unsupported;
            why.detail += ": it has no database " + std::to_string(where_.database) +
                          "; see `databases` in its configuration";
        } else if (why.code ==
                   errc::internal) { // an old server does not know HELLO, or the scripts' form
            why.code = errc::unsupported;
            why.detail += ": Holdfast needs Redis 7.0 or later, or Valkey";
        }
        end(why.code, std::move(why.detail));
        return;
    }
    if (own_ > 0) {
        --own_;
        if (std::exchange(hello_is_next_, false)) { judge_hello(reply); }
    } else {
        --first_.count;
        hear(reply);
    }
    if (own_ == 0 && first_.count == 0 && state_ == state::greeting) { state_ = state::ready; }
}

void session::judge_hello(const reply& reply) {
    const auto version = field(reply, "version");
    unsigned major = 0;
    std::from_chars(version.data(), version.data() + version.size(), major);
    about_ = std::string{field(reply, "server")} + ' ' + std::string{version};
    const auto mode = field(reply, "mode");
    const auto role = field(reply, "role");
    if (field(reply, "server") == "redis" && major < oldest_redis) {
        end(errc::unsupported, server() + " is version " + std::string{version} +
                                   "; Holdfast needs Redis 7.0 or later, or Valkey");
    } else if (mode != "standalone") {
        end(errc::unsupported,
            server() + " runs in mode " + std::string{mode} +
                "; this version of Holdfast can only use a server that runs alone");
    } else if (role != "master") {
        end(errc::unavailable,
            server() + " is a replica, which cannot be written to; use the address of the master");
    }
}

} // namespace holdfast::engine::redis
