#include "holdfast/http/http_response.hpp"

namespace holdfast::http {

namespace {

const char* reason_of(int status) {
    switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 409: return "Conflict";
    case 413: return "Content Too Large";
    case 421: return "Misdirected Request";
    case 431: return "Request Header Fields Too Large";
    case 503: return "Service Unavailable";
    default: return "Error";
    }
}

} // namespace

std::string to_bytes(const response& response, bool with_body) {
    std::string out = "HTTP/1.1 " + std::to_string(response.status) + ' ' +
                      reason_of(response.status) + "\r\nContent-Type: " + response.content_type;
    if (response.delivery != delivery::stream) {
        out += "\r\nContent-Length: " + std::to_string(response.body.size());
    }
    for (const auto& each : response.headers) { out += "\r\n" + each.name + ": " + each.value; }
    out += "\r\nConnection: close\r\n\r\n";
    if (with_body) { out += response.body; }
    return out;
}

} // namespace holdfast::http
