#pragma once
// The response to an HTTP request.

#include "holdfast/http/http_request.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::http {

/// How the body reaches the client.
enum class delivery : std::uint8_t {
    at_once, ///< this is the whole response
    later,   ///< http_outbox::complete() has the response; this one is not sent
    stream,  ///< the connection stays open, and http_outbox::send() adds to the body
};

struct response {
    int status = 200;
    std::string content_type{"text/plain; charset=utf-8"};
    std::string body{};
    std::vector<header> headers{};
    http::delivery delivery = delivery::at_once;
};

/// Answers a request. It runs on the server's thread, so it must not wait.
using handler = std::function<response(const http_request& request)>;

/// The response as it is sent; a stream has no length.
[[nodiscard]] std::string to_bytes(const response& response, bool with_body);

} // namespace holdfast::http
