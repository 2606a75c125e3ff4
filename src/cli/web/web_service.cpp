#include "cli/web/web_service.hpp"

#include "cli/messages.hpp"
#include "cli/web/web_files.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <utility>

namespace holdfast::cli {

namespace {

constexpr std::size_t most_pages = 32;
constexpr std::size_t most_requests = 32; // beside the streams of the pages
constexpr std::size_t longest_form = 8192;

/// The page loads nothing from elsewhere and nothing else may frame it; a name of a lock that got
/// into the markup could not run.
void add_security_headers(http::response& response) {
    response.headers.insert(
        response.headers.end(),
        {{"Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
          "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
         {"X-Content-Type-Options", "nosniff"},
         {"X-Frame-Options", "DENY"},
         {"Referrer-Policy", "no-referrer"},
         {"Cross-Origin-Resource-Policy", "same-origin"},
         {"Cross-Origin-Opener-Policy", "same-origin"},
         {"Cache-Control", "no-store"}});
}

http::response file(const char* type, std::string_view text) {
    return {.content_type = std::string{type} + "; charset=utf-8", .body = std::string{text}};
}

http::response refused(int status, std::string reason) {
    return {.status = status, .body = std::move(reason) + "\n"};
}

/// Digits only; empty: it is no token.
std::optional<std::uint64_t> parse_token(const std::string& text) {
    const bool digits = std::all_of(text.begin(), text.end(),
                                    [](char letter) { return letter >= '0' && letter <= '9'; });
    if (!digits || text.empty() || text.size() > 16) { return std::nullopt; }
    return std::strtoull(text.c_str(), nullptr, 10);
}

} // namespace

web_service::web_service(const web_settings& settings, web_access access)
    : read_only_{settings.read_only},
      connect_wait_{settings.engine.options.connect_wait},
      access_{std::move(access)},
      outbox_{std::make_shared<http::http_outbox>()},
      sampler_{std::make_shared<web_sampler>(settings, outbox_)},
      breaker_{settings.engine, outbox_, [sampler = sampler_](hold_changes::hold_key hold) {
                   sampler->on_broken(std::move(hold));
               }} {}

http::server_settings web_service::server_settings() {
    using std::chrono::seconds;
    return {.handle = [this](const http::http_request& request) { return handle(request); },
            .limits = {.most_exchanges = most_pages + most_requests,
                       .most_streams = most_pages,
                       .longest_body = longest_form,
                       // an inspection, the break, and another inspection
                       .longest_delay = connect_wait_ * 3 + seconds{5}},
            .outbox = outbox_,
            .on_stream_end = [this](http::exchange_id page) { sampler_->remove_page(page); }};
}

http::response web_service::handle(const http::http_request& request) {
    auto refusal = access_.refuse(request);
    auto out = refusal ? std::move(*refusal) : answer(request);
    add_security_headers(out);
    return out;
}

http::response web_service::answer(const http::http_request& request) {
    if (request.method == "POST") {
        return request.path == "/break" ? break_hold(request)
                                        : refused(404, "POST goes to /break only");
    }
    if (request.path == "/") {
        auto out = file("text/html", web_files::web_html);
        out.headers.push_back(access_.cookie());
        return out;
    }
    if (request.path == "/web.js") { return file("text/javascript", web_files::web_js); }
    if (request.path == "/web_text.js") { return file("text/javascript", web_files::web_text_js); }
    if (request.path == "/web.css") { return file("text/css", web_files::web_css); }
    if (request.path == "/locks" && request.method == "GET") { return open_stream(request); }
    if (request.path == "/break") { return refused(405, "/break takes POST only"); }
    return refused(404, "there is only the page, at /");
}

http::response web_service::open_stream(const http::http_request& request) {
    try {
        sampler_->add_page(request.exchange,
                           parse_web_view(http::form_value(request.query, "sort").value_or(""),
                                          http::form_value(request.query, "filter").value_or("")));
    } catch (const std::invalid_argument& problem) { return refused(400, problem.what()); }
    return {.content_type = "text/event-stream; charset=utf-8",
            .body = "retry: 1000\n\n", // milliseconds until a browser connects again
            .delivery = http::delivery::stream};
}

http::response web_service::break_hold(const http::http_request& request) {
    if (auto refusal = access_.refuse_change(request)) { return std::move(*refusal); }
    if (read_only_) { return refused(403, "holdfast web was started with --read-only"); }
    const auto name = http::form_value(request.body, "name");
    const auto token = parse_token(http::form_value(request.body, "token").value_or(""));
    const auto id = http::form_value(request.body, "hold_id");
    if (!name || name->empty() || !token || !id) {
        return refused(400, "the form needs name, token (0: the layout has none) and hold_id");
    }
    if (!breaker_.add({request.exchange, *name, *token, *id})) {
        return refused(503, "too many breaks wait for the engine; try again later");
    }
    return {.delivery = http::delivery::later};
}

} // namespace holdfast::cli
