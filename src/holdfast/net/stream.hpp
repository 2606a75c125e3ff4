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

enum class stream_state : std::uint8_t { opening, open, failed };

/// One attempt at one connection; a new attempt is a new stream. Its descriptors are close-on-exec.
///
///  opening   resolved, connected, TLS handshake done: open | a step fails: failed
///  open      the peer closes, or an error: failed
///  failed    final; failure() is the reason
///
/// Thread safety: none. After fork() the child must not touch it, not even destroy it.
class stream {
public:
    /// Begins to connect; the stream may be open or failed on return. Does not throw: any error,
    /// also a CA file that cannot be read, leads to stream_state::failed.
    [[nodiscard]] static std::unique_ptr<stream> start(const endpoint& endpoint);

    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;
    virtual ~stream() = default;

    [[nodiscard]] virtual stream_state state() const noexcept = 0;
    /// A sentence without the server's address: `connection refused`, `the server's certificate
    /// has expired`.
    [[nodiscard]] virtual const std::string& failure() const noexcept = 0;
    /// Another attempt fails as well until someone changes the configuration: a certificate that
    /// does not verify, a CA file that is missing. False if the server refuses or does not answer.
    [[nodiscard]] virtual bool failure_is_permanent() const noexcept = 0;
    /// While opening: the current step, for the message of a time-out. `looking up the host name`,
    /// `connecting`, `TLS handshake`.
    [[nodiscard]] virtual std::string_view step() const noexcept = 0;

    /// The descriptor and events to poll for. While open: reading, and also writing after `write`
    /// accepted only a part. The descriptor is -1 after a failure.
    [[nodiscard]] virtual pollfd pollable() const noexcept = 0;
    /// Call it when `pollable` is ready. While opening it takes the next step; while open it sends
    /// pending TLS protocol messages.
    virtual void progress() = 0;

    /// While open. Returns the number of bytes read. If `into` is not full, poll before the next
    /// read (or the stream has failed after these bytes). If it is full, read again before polling:
    /// TLS may have buffered bytes that poll() does not see.
    [[nodiscard]] virtual std::size_t read(std::span<char> into) = 0;
    /// While open. Returns the number of bytes accepted. If not all, poll and then pass the rest
    /// again, unchanged and first: TLS may have begun to send it. After a send error it accepts
    /// nothing; read() still returns what the server sent before it closed, and then fails.
    [[nodiscard]] virtual std::size_t write(std::span<const char> from) = 0;

    /// The descriptor for a direct recv(), which blocks for some milliseconds at most; -1 with TLS,
    /// whose bytes are encrypted.
    [[nodiscard]] virtual int plain_descriptor() const noexcept = 0;
    /// SO_RCVLOWAT: poll() reports the socket readable from this many bytes on. TLS ignores it.
    virtual void set_receive_low_watermark(int /*bytes*/) {}

protected:
    stream() = default;
};

} // namespace holdfast::net
