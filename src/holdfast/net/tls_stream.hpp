#pragma once
// A stream over TLS, by OpenSSL.

#include "holdfast/net/socket_stream.hpp"
#include "holdfast/net/tls_context.hpp"
#include "holdfast/net/tls_link.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace holdfast::net {

/// Reading may have to wait until something can be sent, and writing until something has come,
/// because TLS has things of its own to say (new keys). What each of them waits for:
///
///  read    nothing: as long as there is no more | room: a message of TLS's own could not be sent
///  write   nothing: all was taken | room: the socket is full | bytes: a message must come first
///
/// A write that waits for bytes is not polled for; it asks for room again as soon as some came.
class tls_stream final : public socket_stream {
public:
    explicit tls_stream(const endpoint& where, const lookup& target = system_lookup);
    ~tls_stream() override;

    [[nodiscard]] std::string_view step() const noexcept override;
    [[nodiscard]] std::size_t read(std::span<char> into) override;
    [[nodiscard]] std::size_t write(std::span<const char> from) override;
    [[nodiscard]] int plain_descriptor() const noexcept override { return -1; }

private:
    enum class need : std::uint8_t { nothing, room, bytes };

    void connected() override;
    [[nodiscard]] short events() const noexcept override;
    void go_on() override;

    void shake_hands();
    /// After a call of OpenSSL's that did not succeed: what it needs, or it has failed.
    [[nodiscard]] need after(int result);
    static int on_certificate_asked_for(SSL* connection, X509** certificate, EVP_PKEY** key);

    std::string name_;
    tls_link link_{};
    ssl_context context_{};
    ssl_connection connection_{}; // after the link, which it uses
    need read_needs_ = need::nothing;
    need write_needs_ = need::nothing;
    bool certificate_asked_for_ = false;
};

} // namespace holdfast::net
