#include "holdfast/engine/redis/node/connection.hpp"

#include "holdfast/engine/redis/protocol/command.hpp"
#include "holdfast/engine/redis/protocol/server_error.hpp"
#include "holdfast/engine/redis/protocol/server_version.hpp"

#include <holdfast/error.hpp>

#include <array>
#include <utility>

namespace holdfast::engine::redis {

namespace {

std::string no_database(unsigned number) {
    return "it has no database " + std::to_string(number) +
           "; see `databases` in its configuration";
}

/// The value of a key in HELLO's flat list.
std::string_view field(const reply& reply, std::string_view key) {
    for (std::size_t at = 0; at + 1 < reply.size(); at += 2) {
        if (reply.word(at) == key) { return reply.word(at + 1); }
    }
    return {};
}

} // namespace

connection::connection(const options& options, server_source& source, net::endpoint endpoint,
                       first_commands first, base::instant now)
    : options_{options},
      source_{source},
      endpoint_{std::move(endpoint)},
      address_{endpoint_.text()},
      first_{std::move(first)},
      stream_{options.open_stream(endpoint_)},
      opens_until_{now + options.connect_timeout} {
    if (stream_->state() == net::stream_state::failed) { stream_failed(); }
    if (stream_->state() == net::stream_state::open) { greet(); }
}

base::instant connection::due() const noexcept {
    return state_ == connection_state::ready || state_ == connection_state::ended ? base::never
                                                                                  : opens_until_;
}

int connection::plain_descriptor() const noexcept {
    return state_ == connection_state::ready ? stream_->plain_descriptor() : -1;
}

void connection::end(std::error_code code, std::string detail) {
    if (state_ == connection_state::ended) { return; }
    state_ = connection_state::ended;
    code_ = code;
    detail_ = std::move(detail);
}

void connection::stream_failed() {
    const bool hopeless = stream_->failure_is_permanent();
    end(hopeless ? errc::store_forbidden : errc::unavailable,
        server() + ": " + stream_->failure() + tls_hint());
}

/// A TLS port closes the connection when it receives a greeting in plain text.
const char* connection::tls_hint() const noexcept {
    const bool plain = !endpoint_.tls && endpoint_.unix_path.empty();
    return plain && state_ == connection_state::greeting && !has_replied_
               ? "; if this port speaks TLS, write rediss://"
               : "";
}

void connection::check(base::instant now) {
    if (state_ == connection_state::opening && now >= opens_until_) {
        const auto step = stream_->step();
        std::string why =
            ": no connection within " + std::to_string(options_.connect_timeout.count()) + " ms";
        if (!step.empty()) { why += " (" + std::string{step} + ')'; }
        // A server without TLS takes the handshake for the beginning of a command, and waits.
        if (step == "TLS handshake") { why += "; check that this port speaks TLS"; }
        end(errc::unavailable, server() + why);
    } else if (state_ == connection_state::greeting && now >= opens_until_) {
        end(errc::unavailable,
            server() + ": it accepts connections but does not answer; check the server");
    }
}

void connection::greet() {
    auto& out = unsent_greeting_;
    state_ = connection_state::greeting;
    own_replies_ = 1;
    if (options_.password.empty()) {
        append_command(out, {"HELLO", "2", "SETNAME", "holdfast"});
    } else {
        append_command(out,
                       {"HELLO", "2", "AUTH", options_.user.empty() ? "default" : options_.user,
                        options_.password, "SETNAME", "holdfast"});
    }
    if (options_.database != 0) {
        append_command(out, {"SELECT", std::to_string(options_.database)});
        ++own_replies_;
    }
    // RESP3, so that messages arrive on the same connection. The HELLO before, whose reply
    // describes the server, is in RESP2: hiredis before 1.0 cannot read the map that RESP3 would
    // return.
    if (first_.resp3) {
        append_command(out, {"CLIENT", "REPLY", "SKIP"});
        append_command(out, {"HELLO", "3"});
    }
    out += std::exchange(first_.bytes, {});
    flush();
}

void connection::flush() {
    if (state_ != connection_state::greeting && state_ != connection_state::ready) { return; }
    if (!unsent_greeting_.empty()) {
        unsent_greeting_.erase(0, stream_->write(unsent_greeting_));
        if (stream_->state() == net::stream_state::failed) { stream_failed(); }
        if (!unsent_greeting_.empty()) { return; }
    }
    if (output_.unsent.empty() || state_ != connection_state::ready) { return; }
    output_.offered = output_.sent + output_.unsent.size();
    const auto taken = stream_->write(output_.unsent);
    output_.sent += taken;
    if (taken == output_.unsent.size()) {
        output_.unsent.clear();
    } else {
        output_.unsent.erase(0, taken);
    }
    if (stream_->state() == net::stream_state::failed) { stream_failed(); }
}

void connection::progress(const reply_listener& on_reply) {
    if (state_ == connection_state::opening) {
        stream_->progress();
        if (stream_->state() == net::stream_state::failed) { stream_failed(); }
        if (stream_->state() == net::stream_state::open) { greet(); }
        return;
    }
    read(on_reply);
    flush();
}

void connection::read(const reply_listener& on_reply) {
    std::array<char, 65'536> buffer; // NOLINT(cppcoreguidelines-pro-type-member-init): only written
    const bool plain = stream_->plain_descriptor() >= 0;
    while (state_ == connection_state::greeting || state_ == connection_state::ready) {
        const auto count = stream_->read(buffer);
        if (count == 0) { break; }
        take({buffer.data(), count}, on_reply);
        if (plain && count < buffer.size()) { return; } // the socket is drained
    }
    if (stream_->state() == net::stream_state::failed) { stream_failed(); }
}

void connection::take(std::span<const char> bytes, const reply_listener& on_reply) {
    const bool good = reader_.read(bytes, [&](const reply& reply) {
        has_replied_ = true;
        if (state_ == connection_state::greeting) {
            on_greeting_reply(reply, on_reply);
        } else if (state_ == connection_state::ready) {
            on_reply(reply);
        }
    });
    if (!good) {
        end(errc::unavailable, server() + ": its replies are not Redis's protocol (" +
                                   reader_.fault() + "); check the address");
    }
}

void connection::on_greeting_reply(const reply& reply, const reply_listener& on_reply) {
    if (reply.is_push() && reply.word(0) != "subscribe") { return on_reply(reply); }
    if (reply.is_error()) { return on_greeting_error(reply); }
    if (own_replies_ > 0) {
        --own_replies_;
        if (std::exchange(hello_is_next_, false)) { check_hello(reply); }
    } else {
        --first_.replies;
        on_reply(reply);
    }
    if (own_replies_ == 0 && first_.replies == 0 && state_ == connection_state::greeting) {
        state_ = connection_state::ready;
    }
}

void connection::on_greeting_error(const reply& reply) {
    auto error = source_.explain(reply.text(), address_);
    const bool selecting = own_replies_ == 1 && !hello_is_next_;
    if (error.code == errc::internal) {
        error.code = errc::unsupported;
        // An old server does not know HELLO, or the form of the scripts.
        error.detail += ": ";
        error.detail += selecting ? no_database(options_.database) : std::string{needed_server};
    }
    end(error.code, std::move(error.detail));
}

void connection::check_hello(const reply& reply) {
    const hello hello{field(reply, "server"), field(reply, "version"), field(reply, "mode"),
                      field(reply, "role")};
    about_ = std::string{hello.server} + ' ' + std::string{hello.version};
    if (is_too_old(hello.server, hello.version)) {
        end(errc::unsupported,
            server() + " is version " + std::string{hello.version} + "; " + needed_server);
    } else if (const auto rejected = source_.reject(hello)) {
        end(rejected->code, server() + rejected->reason);
    }
}

} // namespace holdfast::engine::redis
