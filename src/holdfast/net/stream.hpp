#pragma once
// A stream of bytes to a server: TCP, a unix socket, or TLS over TCP. Never blocks.

#include "holdfast/net/endpoint.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <poll.h>
#include <span>
#include <string>
#include <string_view>

namespace holdfast::net {

/// One attempt at one connection; a new attempt is a new stream. Its descriptors are close-on-exec.
///
///  opening   resolving; connecting to the host's addresses in turn; TLS handshake with the first
///            that accepts: open | any step that cannot go on: failed
///  open      the peer closes, or an error: failed
///  failed    for good; failure() says why
///
/// Thread safety: none. After fork() the child must not touch it, not even destroy it.
class stream {
public:
    enum class state : std::uint8_t { opening, open, failed };

    /// Begins to connect; it may be open, or have failed, already on return. Throws nothing: what
    /// goes wrong, also a CA file that cannot be read, is state::failed.
    [[nodiscard]] static std::unique_ptr<stream> start(const endpoint& where);

    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;
    virtual ~stream() = default;

    [[nodiscard]] virtual state now_in() const noexcept = 0;
    /// A sentence without the server's address: `connection refused`, `the server's certificate
    /// has expired`.
    [[nodiscard]] virtual const std::string& failure() const noexcept = 0;
    /// Whether another try cannot help before somebody changes a setting: a certificate that does
    /// not verify, a CA file that is missing. Not so if nobody listens or answers.
    [[nodiscard]] virtual bool hopeless() const noexcept = 0;
    /// While opening: what it is waiting for, to tell whoever loses patience. `looking up the host
    /// name`, `connecting`, `TLS handshake`.
    [[nodiscard]] virtual std::string_view step() const noexcept = 0;

    /// What to poll for while opening (also the resolver's descriptor), and while open for reading;
    /// also for writing after `write` took less than it was given.
    [[nodiscard]] virtual pollfd wanted() const noexcept = 0;
    /// Goes on opening after `wanted` became ready. While open it sends what TLS itself has to say,
    /// if anything.
    virtual void progress() = 0;

    /// While open. How many bytes were moved; less than there is room for: no more now, poll first
    /// (or now_in() is failed, after these bytes). Do not poll before that: TLS may have taken
    /// bytes from the socket already that there was no room for.
    [[nodiscard]] virtual std::size_t read(std::span<char> into) = 0;
    /// While open. How many bytes were taken; if not all, poll, and then offer the rest again,
    /// unchanged and first: TLS may have begun to send it. Once the server is gone nothing is
    /// taken; read() then still gives the server's last words, and fails after them.
    [[nodiscard]] virtual std::size_t write(std::span<const char> from) = 0;

    /// The descriptor if bytes on it are the stream's own, so that recv() may be called directly;
    /// -1 with TLS. A recv() that may block does so for some milliseconds at most.
    [[nodiscard]] virtual int plain_descriptor() const noexcept = 0;
    /// poll() finds it readable only with so many bytes; a hint, which TLS does not follow.
    virtual void readable_from(int /*bytes*/) {}

protected:
    stream() = default;
};

} // namespace holdfast::net
