#pragma once
// A stream of bytes to a server: TCP, a unix socket, or TLS over TCP. Never blocks.

#include "holdfast/base/clock.hpp"
#include "holdfast/net/endpoint.hpp"

#include <cstddef>
#include <memory>
#include <poll.h>
#include <span>
#include <string>

namespace holdfast::net {

/// One attempt at one connection; a new attempt is a new stream. Its descriptors are close-on-exec.
///
///  opening   resolving, connecting, TLS handshake; tries all addresses of the host in turn
///            all done: open | any step that cannot go on: failed
///  open      the peer closes, or an error: failed
///  failed    for good; failure() says why
///
/// Thread safety: none. After fork() the child must not touch it, not even destroy it.
class stream {
public:
    enum class state : std::uint8_t { opening, open, failed };

    /// Begins to connect. Throws nothing: what goes wrong, also a CA file that cannot be read, is
    /// state::failed, perhaps already on return.
    [[nodiscard]] static std::unique_ptr<stream> start(const endpoint& where);

    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;
    virtual ~stream() = default;

    [[nodiscard]] virtual state now_in() const noexcept = 0;
    /// A sentence without the server's address: `connection refused`, `the certificate has expired`.
    [[nodiscard]] virtual const std::string& failure() const noexcept = 0;
    /// Whether the other side, not this one, is to blame for good, so that another try cannot help:
    /// a certificate that does not verify, a CA file that is missing.
    [[nodiscard]] virtual bool hopeless() const noexcept = 0;

    /// What to poll for while opening (also the resolver's descriptor), and while open for reading;
    /// also for writing after `write` took less than it was given.
    [[nodiscard]] virtual pollfd wanted() const noexcept = 0;
    /// Goes on opening after `wanted` became ready. While open it does nothing.
    virtual void progress() = 0;

    /// While open. How many bytes were moved; 0: none now, poll first (or now_in() is failed).
    [[nodiscard]] virtual std::size_t read(std::span<char> into) = 0;
    [[nodiscard]] virtual std::size_t write(std::span<const char> from) = 0;

    /// The descriptor if bytes on it are the stream's own, so that recv() may be called directly;
    /// -1 with TLS.
    [[nodiscard]] virtual int plain_descriptor() const noexcept = 0;

protected:
    stream() = default;
};

} // namespace holdfast::net
