#pragma once
// A stream over TCP or a unix socket, as it is.

#include "holdfast/net/socket_stream.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace holdfast::net {

class plain_stream final : public socket_stream {
public:
    explicit plain_stream(const endpoint& where, const lookup& target = system_lookup) {
        connect(where, target);
    }
    /// One that has failed for good before it began.
    explicit plain_stream(std::string&& failure) { fail(std::move(failure), true); }

    [[nodiscard]] std::size_t read(std::span<char> into) override;
    [[nodiscard]] std::size_t write(std::span<const char> from) override;
    [[nodiscard]] int plain_descriptor() const noexcept override {
        return now_in() == state::open ? socket() : -1;
    }
    void readable_from(int bytes) override;

private:
    void connected() override;
    [[nodiscard]] short events() const noexcept override;
    void broken(int error);

    int low_water_ = 1;
    bool full_ = false; ///< the last write took less than it was given
    int parting_ = 0;   ///< why nothing can be sent any more, while there is still to read
};

} // namespace holdfast::net
