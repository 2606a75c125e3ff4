#pragma once
// A stream over TLS, with OpenSSL.

#include "holdfast/net/socket_stream.hpp"
#include "holdfast/net/tls_context.hpp"
#include "holdfast/net/tls_link.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace holdfast::net {

/// TLS sends protocol messages of its own (new keys). So a read may need a writable socket, and a
/// write may need a readable one. What each of them needs before it can continue:
///
///  read    none: more bytes | writable: a protocol message could not be sent
///  write   none: all was accepted | writable: the send buffer is full | readable: a protocol
///          message must arrive first
///
/// The socket is always polled for reading. A write that needs a readable socket becomes `writable`
/// when bytes have arrived.
class tls_stream final : public socket_stream {
public:
    explicit tls_stream(const endpoint& endpoint, const lookup_function& lookup = system_lookup);
    ~tls_stream() override;

    [[nodiscard]] std::string_view step() const noexcept override;
    [[nodiscard]] std::size_t read(std::span<char> into) override;
    [[nodiscard]] std::size_t write(std::span<const char> from) override;
    [[nodiscard]] int plain_descriptor() const noexcept override { return -1; }

private:
    enum class need : std::uint8_t { none, writable, readable };

    void on_connected() override;
    [[nodiscard]] short events() const noexcept override;
    void on_socket_ready() override;

    void do_handshake();
    /// After an OpenSSL call that did not succeed: returns what it needs, or fails the stream.
    [[nodiscard]] need handle_result(int result);
    static int on_certificate_requested(SSL* connection, X509** certificate, EVP_PKEY** key);

    std::string name_;
    tls_link link_{};
    ssl_context context_{};
    ssl_connection connection_{}; // destroyed before the link, which it uses
    need read_needs_ = need::none;
    need write_needs_ = need::none;
    bool certificate_requested_ = false;
};

} // namespace holdfast::net
