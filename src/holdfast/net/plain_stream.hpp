#pragma once
// A stream over TCP or a unix socket, without TLS.

#include "holdfast/net/socket_stream.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace holdfast::net {

class plain_stream final : public socket_stream {
public:
    explicit plain_stream(const endpoint& endpoint, const lookup_function& lookup = system_lookup) {
        connect(endpoint, lookup);
    }
    /// A stream that has failed permanently before it connects.
    explicit plain_stream(std::string&& failure) { fail(std::move(failure), true); }

    [[nodiscard]] std::size_t read(std::span<char> into) override;
    [[nodiscard]] std::size_t write(std::span<const char> from) override;
    [[nodiscard]] int plain_descriptor() const noexcept override {
        return state() == stream_state::open ? socket() : -1;
    }
    void set_receive_low_watermark(int bytes) override;

private:
    void on_connected() override;
    [[nodiscard]] short events() const noexcept override;
    void on_send_error(int error);

    int low_watermark_ = 1;
    bool send_buffer_full_ = false; ///< the last write accepted only a part
    int send_error_ = 0;            ///< writing has failed; unread bytes are still delivered
};

} // namespace holdfast::net
