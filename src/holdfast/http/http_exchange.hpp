#pragma once
// One request to an HTTP server, and its response.

#include "holdfast/base/clock.hpp"
#include "holdfast/base/fd.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace holdfast::http {

struct response {
    int status = 200;
    std::string content_type{"text/plain; charset=utf-8"};
    std::string body{};
};

/// Answers a GET of this path, which is without its query.
using handler = std::function<response(std::string_view path)>;

/// The response to the head of a request, as bytes. `head` ends before its empty line.
[[nodiscard]] std::string respond(std::string_view head, const handler& handle);

/// State table of a connection.
///
///  reading   the head of the request is complete, or too long: writing
///            the peer closes, an error, the deadline: over
///  writing   all is written, an error, the deadline: over
///
/// Thread safety: none.
class http_exchange {
public:
    static constexpr std::size_t longest_head = 8192;

    http_exchange(base::fd socket, base::instant deadline) noexcept
        : socket_{std::move(socket)}, deadline_{deadline} {}

    [[nodiscard]] int descriptor() const noexcept { return socket_.get(); }
    [[nodiscard]] short wanted() const noexcept; ///< events for poll()
    [[nodiscard]] base::instant deadline() const noexcept { return deadline_; }
    /// Reads or writes what is possible now. Returns false when it is over.
    [[nodiscard]] bool progress(const handler& handle);

private:
    [[nodiscard]] bool read(const handler& handle);
    [[nodiscard]] bool write();

    base::fd socket_;
    base::instant deadline_;
    std::string received_;
    std::string to_send_; ///< empty: reading
    std::size_t sent_ = 0;
};

} // namespace holdfast::http
