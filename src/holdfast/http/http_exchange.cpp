#include "holdfast/http/http_exchange.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <optional>
#include <poll.h>
#include <sys/socket.h>

namespace holdfast::http {

namespace {

/// Of the body; empty: it is not a number, or too large for one.
std::optional<std::size_t> content_length(const http_request& request) {
    const auto text = request.header_value("content-length");
    const bool digits = std::all_of(text.begin(), text.end(),
                                    [](char letter) { return letter >= '0' && letter <= '9'; });
    if (!digits || text.size() > 9 || request.count("content-length") > 1) { return std::nullopt; }
    return text.empty() ? 0 : std::stoul(std::string{text});
}

} // namespace

short http_exchange::wanted() const noexcept { return state_ == state::writing ? POLLOUT : POLLIN; }

bool http_exchange::progress(const handler& handle, base::instant now) {
    if (state_ == state::reading && !read(handle, now)) { return false; }
    if (state_ == state::writing) { return write(now); }
    return state_ == state::reading || discard();
}

void http_exchange::complete(const response& response, base::instant now) {
    if (state_ == state::waiting) { answer(response, now); }
}

void http_exchange::send(stream_part part, base::instant now) {
    if (!is_stream_) { return; }
    if (state_ == state::writing) {
        next_ = std::move(part);
        return;
    }
    state_ = state::writing;
    to_send_ = std::move(part);
    sent_ = 0;
    deadline_ = now + limits_->longest_stall;
}

bool http_exchange::read(const handler& handle, base::instant now) {
    std::array<char, 2048> buffer{};
    while (state_ == state::reading) {
        const auto count = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
        if (count < 0) { return errno == EAGAIN || errno == EINTR; }
        if (count == 0) { return false; }
        received_.append(buffer.data(), static_cast<std::size_t>(count));
        on_received(handle, now);
    }
    return true;
}

/// The peer has nothing more to say; false when it closes.
bool http_exchange::discard() {
    std::array<char, 2048> buffer{};
    for (;;) {
        const auto count = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
        if (count < 0) { return errno == EAGAIN || errno == EINTR; }
        if (count == 0) { return false; }
    }
}

void http_exchange::on_received(const handler& handle, base::instant now) {
    const auto end = received_.find("\r\n\r\n");
    if (std::min(end, received_.size()) > longest_head) {
        return refuse(431, "the request is too long\n");
    }
    if (end == std::string::npos) { return; }
    auto request = parse_head(std::string_view{received_}.substr(0, end));
    if (!request) { return refuse(400, "this is not an HTTP request\n"); }
    const bool reads = request->method == "GET" || request->method == "HEAD";
    if (!reads && (request->method != "POST" || limits_->longest_body == 0)) {
        return refuse(405, limits_->longest_body == 0 ? "only GET and HEAD\n"
                                                      : "only GET, HEAD and POST\n");
    }
    const auto length = content_length(*request);
    if (!length || request->count("transfer-encoding") > 0) {
        return refuse(400, "the body needs a Content-Length\n");
    }
    if (*length > limits_->longest_body) { return refuse(413, "the body is too long\n"); }
    if (received_.size() - end - 4 < *length) { return; }
    request->body = received_.substr(end + 4, *length);
    on_request(std::move(*request), handle, now);
}

void http_exchange::on_request(http_request request, const handler& handle, base::instant now) {
    request.exchange = id_;
    with_body_ = request.method != "HEAD";
    const auto response = handle(request);
    received_ = {};
    if (response.delivery == delivery::later) {
        state_ = state::waiting;
        deadline_ = now + limits_->longest_delay;
        return;
    }
    is_stream_ = response.delivery == delivery::stream;
    answer(response, now);
}

void http_exchange::refuse(int status, std::string_view reason) {
    refused_ = true;
    received_ = {};
    state_ = state::writing;
    to_send_ = std::make_shared<const std::string>(
        to_bytes({.status = status, .body = std::string{reason}}, true));
}

void http_exchange::answer(const response& response, base::instant now) {
    state_ = state::writing;
    to_send_ = std::make_shared<const std::string>(to_bytes(response, with_body_));
    deadline_ = now + (is_stream_ ? limits_->longest_stall : limits_->longest_exchange);
}

bool http_exchange::write(base::instant now) {
    while (sent_ < to_send_->size()) {
        const auto count =
            ::send(socket_.get(), to_send_->data() + sent_, to_send_->size() - sent_, MSG_NOSIGNAL);
        if (count < 0) { return errno == EAGAIN || errno == EINTR; }
        sent_ += static_cast<std::size_t>(count);
        if (is_stream_) { deadline_ = now + limits_->longest_stall; }
        if (is_stream_ && sent_ == to_send_->size() && next_ != nullptr) {
            to_send_ = std::exchange(next_, nullptr);
            sent_ = 0;
        }
    }
    return on_written();
}

bool http_exchange::on_written() {
    if (is_stream_) {
        state_ = state::idle;
        to_send_ = nullptr;
        deadline_ = base::never;
        return true;
    }
    ::shutdown(socket_.get(), SHUT_WR);
    state_ = state::draining;
    return refused_;
}

} // namespace holdfast::http
