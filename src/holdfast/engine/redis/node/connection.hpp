#pragma once
// One connection to a server, from its opening to its end; the next one is a new object.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/redis/node/pipeline.hpp"
#include "holdfast/engine/redis/node/server_source.hpp"
#include "holdfast/engine/redis/options.hpp"
#include "holdfast/engine/redis/protocol/reply.hpp"
#include "holdfast/net/stream.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <system_error>

namespace holdfast::engine::redis {

enum class connection_state : std::uint8_t { opening, greeting, ready, ended };

/// Sends bytes and reads replies in order, without interpreting them. The owner appends commands to
/// `output()` and flushes, and receives each reply.
///
///  opening   the stream opens: greeting | it fails, or is not open in time: ended
///  greeting  all its commands succeed: ready | one fails, or is not answered in time: ended
///  ready     the stream fails, or bytes arrive that are not RESP: ended
///  ended     code() and detail() say why
///
/// Thread safety: none.
class connection {
public:
    using reply_listener = std::function<void(const reply&)>;

    /// What the owner sends before the connection counts as ready.
    struct first_commands {
        std::string bytes;
        unsigned replies = 0; ///< that are due; a push that confirms a subscription counts as one
        bool resp3 = true;    ///< so that messages arrive on the same connection
    };

    connection(const options& options, server_source& source, net::endpoint endpoint,
               first_commands first, base::instant now);

    [[nodiscard]] connection_state state() const noexcept { return state_; }
    [[nodiscard]] std::error_code code() const noexcept { return code_; }
    [[nodiscard]] const std::string& detail() const noexcept { return detail_; }
    [[nodiscard]] const std::string& about() const noexcept { return about_; } ///< redis 7.0.15
    [[nodiscard]] const std::string& address() const noexcept { return address_; }
    [[nodiscard]] pollfd wanted() const noexcept { return stream_->pollable(); }
    /// When it must be ready; `never` once it is.
    [[nodiscard]] base::instant due() const noexcept;

    /// The bytes to send next. They are not sent before the greeting is done.
    [[nodiscard]] output_buffer& output() noexcept { return output_; }
    void flush();

    /// Does the I/O that is possible. `on_reply` gets the replies to the owner's first commands,
    /// and all later ones.
    void progress(const reply_listener& on_reply);
    /// As if `bytes` had just been read.
    void take(std::span<const char> bytes, const reply_listener& on_reply);
    /// Ends it if it is not ready in time.
    void check(base::instant now);
    void end(std::error_code code, std::string detail);

    /// See net::stream; -1 while it is not ready.
    [[nodiscard]] int plain_descriptor() const noexcept;
    void set_receive_low_watermark(int bytes) { stream_->set_receive_low_watermark(bytes); }

private:
    void greet();
    void read(const reply_listener& on_reply);
    void on_greeting_reply(const reply& reply, const reply_listener& on_reply);
    void on_greeting_error(const reply& reply);
    void check_hello(const reply& reply);
    void stream_failed();
    [[nodiscard]] const char* tls_hint() const noexcept;
    [[nodiscard]] std::string server() const {
        return source_.kind() + std::string{" at "} + address_;
    }

    const options& options_;
    server_source& source_;
    const net::endpoint endpoint_;
    const std::string address_;
    first_commands first_;
    std::unique_ptr<net::stream> stream_;
    reply_reader reader_;
    output_buffer output_;
    std::string unsent_greeting_;
    unsigned own_replies_ = 0; ///< replies to HELLO and SELECT that are still due
    bool hello_is_next_ = true;
    bool has_replied_ = false;
    base::instant opens_until_;
    connection_state state_ = connection_state::opening;
    std::error_code code_;
    std::string detail_;
    std::string about_;
};

} // namespace holdfast::engine::redis
