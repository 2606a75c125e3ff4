#pragma once
// The page of `holdfast web` as an HTTP service: its files, the stream of samples, and breaks.

#include "cli/web/web_access.hpp"
#include "cli/web/web_breaker.hpp"
#include "cli/web/web_sampler.hpp"
#include "holdfast/http/http_server.hpp"

#include <memory>
#include <string>

namespace holdfast::cli {

/// | request        | answer                                                             |
/// |----------------|--------------------------------------------------------------------|
/// | GET /          | the page; with ?token= it sets the cookie                          |
/// | GET /web.js    | its script; also /web_text.js and, its style, /web.css              |
/// | GET /locks     | a stream of events `locks` and `problem`; ?sort= and ?filter=      |
/// | POST /break    | breaks the hold that a form of name, token and hold_id names       |
///
/// Thread safety: handle() and on_stream_end() on the server's thread.
class web_service {
public:
    web_service(const web_settings& settings, web_access access);

    /// For a server that listens here. This object must outlive the server.
    [[nodiscard]] http::server_settings server_settings();

private:
    [[nodiscard]] http::response handle(const http::http_request& request);
    [[nodiscard]] http::response answer(const http::http_request& request);
    [[nodiscard]] http::response open_stream(const http::http_request& request);
    [[nodiscard]] http::response break_hold(const http::http_request& request);

    bool read_only_;
    std::chrono::milliseconds connect_wait_;
    web_access access_;
    std::shared_ptr<http::http_outbox> outbox_;
    std::shared_ptr<web_sampler> sampler_;
    web_breaker breaker_;
};

} // namespace holdfast::cli
