#pragma once
// One connection to a server, from its opening to its end; the next one is a new session.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/redis/place.hpp"
#include "holdfast/engine/redis/reply.hpp"
#include "holdfast/net/stream.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <system_error>

namespace holdfast::engine::redis {

/// Sends, and reads replies in order. What it is for is its owner's business: the owner appends
/// commands to `out()` and flushes, and is handed each reply.
///
///  opening   the stream opens: greeting | it fails, or is not open in time: ended
///  greeting  its commands are all answered well: ready | one is not, or not in time: ended
///  ready     the stream fails, or bytes come that are no replies: ended
///  ended     code() and detail() say why
///
/// Thread safety: none.
class session {
public:
    enum class state : std::uint8_t { opening, greeting, ready, ended };
    using listener = std::function<void(const reply&)>;

    /// What the owner asks for before the session counts as ready: commands, and how many.
    struct greeting {
        std::string commands;
        unsigned count = 0; ///< of replies; a push that confirms a subscription is one
    };

    session(const place& where, const greeting& first, base::instant now);

    [[nodiscard]] state now_in() const noexcept { return state_; }
    [[nodiscard]] std::error_code code() const noexcept { return code_; }
    [[nodiscard]] const std::string& detail() const noexcept { return detail_; }
    [[nodiscard]] const std::string& about() const noexcept {
        return about_;
    } ///< e.g. redis 7.0.15
    [[nodiscard]] pollfd wanted() const noexcept { return stream_->wanted(); }
    /// By then it must be ready; `never` once it is.
    [[nodiscard]] base::instant due() const noexcept;

    /// What is to be sent next. During the greeting it waits.
    [[nodiscard]] std::string& out() noexcept { return out_; }
    void flush();
    /// Bytes of `out()` that the stream has taken so far: those beyond are certainly not at the
    /// server.
    [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }

    /// Goes on with whatever is ready. `hear` gets the replies to the owner's greeting, and
    /// all later ones.
    void progress(const listener& hear);
    /// As if `bytes` had just been read.
    void take(std::span<const char> bytes, const listener& hear);
    /// Ends it if it should have been ready by now.
    void check(base::instant now);
    void end(std::error_code code, std::string detail);

    /// See net::stream; -1 while it is not ready.
    [[nodiscard]] int plain_descriptor() const noexcept;
    void readable_from(int bytes) { stream_->readable_from(bytes); }

private:
    void greet();
    void read(const listener& hear);
    void heard_greeting(const reply& reply, const listener& hear);
    void judge_hello(const reply& reply);
    void stream_failed();
    [[nodiscard]] const char* tls_hint() const noexcept;
    [[nodiscard]] std::string server() const { return "Redis at " + where_.server.text(); }

    const place& where_;
    greeting first_;
    std::unique_ptr<net::stream> stream_;
    reply_reader reader_;
    std::string out_;
    std::string hello_; ///< of the greeting, what the stream has not taken yet
    std::uint64_t sent_ = 0;
    unsigned own_ = 0; ///< replies to HELLO and SELECT that are still to come
    bool hello_is_next_ = true;
    bool heard_ = false; ///< a reply
    base::instant opens_until_;
    state state_ = state::opening;
    std::error_code code_;
    std::string detail_;
    std::string about_;
};

} // namespace holdfast::engine::redis
