#include "holdfast/http/http_exchange.hpp"

#include <array>
#include <cerrno>
#include <poll.h>
#include <sys/socket.h>

namespace holdfast::http {

namespace {

const char* reason_of(int status) {
    switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 431: return "Request Header Fields Too Large";
    default: return "Error";
    }
}

std::string bytes_of(const response& response, bool with_body) {
    std::string out = "HTTP/1.1 " + std::to_string(response.status) + ' ' +
                      reason_of(response.status) + "\r\nContent-Type: " + response.content_type +
                      "\r\nContent-Length: " + std::to_string(response.body.size()) +
                      "\r\nConnection: close\r\n\r\n";
    if (with_body) { out += response.body; }
    return out;
}

} // namespace

std::string respond(std::string_view head, const handler& handle) {
    const auto line = head.substr(0, head.find("\r\n"));
    const auto first = line.find(' ');
    const auto second = first == std::string_view::npos ? first : line.find(' ', first + 1);
    if (second == std::string_view::npos || !line.substr(second + 1).starts_with("HTTP/1.")) {
        return bytes_of({.status = 400, .body = "this is not an HTTP request\n"}, true);
    }
    const auto method = line.substr(0, first);
    if (method != "GET" && method != "HEAD") {
        return bytes_of({.status = 405, .body = "only GET and HEAD\n"}, true);
    }
    const auto target = line.substr(first + 1, second - first - 1);
    return bytes_of(handle(target.substr(0, target.find('?'))), method == "GET");
}

short http_exchange::wanted() const noexcept { return to_send_.empty() ? POLLIN : POLLOUT; }

bool http_exchange::progress(const handler& handle) {
    if (to_send_.empty() && !read(handle)) { return false; }
    return to_send_.empty() || write();
}

bool http_exchange::read(const handler& handle) {
    std::array<char, 2048> buffer{};
    while (to_send_.empty()) {
        const auto count = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
        if (count < 0) { return errno == EAGAIN || errno == EINTR; }
        if (count == 0) { return false; }
        received_.append(buffer.data(), static_cast<std::size_t>(count));
        if (const auto end = received_.find("\r\n\r\n"); end != std::string::npos) {
            to_send_ = respond(std::string_view{received_}.substr(0, end), handle);
        } else if (received_.size() > longest_head) {
            to_send_ = bytes_of({.status = 431, .body = "the request is too long\n"}, true);
        }
    }
    return true;
}

bool http_exchange::write() {
    while (sent_ < to_send_.size()) {
        const auto count =
            ::send(socket_.get(), to_send_.data() + sent_, to_send_.size() - sent_, MSG_NOSIGNAL);
        if (count < 0) { return errno == EAGAIN || errno == EINTR; }
        sent_ += static_cast<std::size_t>(count);
    }
    ::shutdown(socket_.get(), SHUT_WR);
    return false;
}

} // namespace holdfast::http
