#include "proxy/proxy_connection.hpp"

#include "proxy/frame.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <sys/socket.h>
#include <utility>

namespace holdfast::test {

namespace {

/// Appends the available bytes; false: the other side has closed.
bool receive(const base::fd& socket, std::string& out) {
    std::array<char, 16'384> buffer{};
    for (;;) {
        const auto length = ::recv(socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (length == 0) { return false; }
        if (length < 0 && errno == EINTR) { continue; }
        if (length < 0) { return errno == EAGAIN || errno == EWOULDBLOCK; }
        out.append(buffer.data(), static_cast<std::size_t>(length));
    }
}

void close_with_reset(base::fd& socket) {
    const ::linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    socket.reset();
}

} // namespace

proxy_counts& proxy_counts::operator+=(const proxy_counts& other) {
    connections += other.connections;
    open += other.open;
    requests += other.requests;
    answers += other.answers;
    pushes += other.pushes;
    dropped += other.dropped;
    dropped_pushes += other.dropped_pushes;
    held += other.held;
    delayed += other.delayed;
    repeated += other.repeated;
    bytes_to_server += other.bytes_to_server;
    bytes_to_client += other.bytes_to_client;
    return *this;
}

proxy_connection::proxy_connection(base::fd client, base::fd server)
    : client_{std::move(client)}, server_{std::move(server)}, silent_{!server_} {
    counts_.connections = 1;
}

proxy_connection::proxy_connection(base::fd server, network_conditions::copy late)
    : server_{std::move(server)}, late_until_{late.due}, silent_{false}, client_ended_{true} {
    to_server_.add(std::move(late.bytes), late.due);
}

bool proxy_connection::ended() const {
    if (silent_) { return !client_ && !server_; }
    return server_ended_ && to_client_.empty();
}

proxy_counts proxy_connection::counts() const {
    auto out = counts_;
    out.open = client_ && !client_ended_ ? 1 : 0;
    out.held = to_server_.held() + to_client_.held() + late_pushes_.size();
    return out;
}

void proxy_connection::step(network_conditions& network) {
    trickles_ = network.trickles;
    if (client_ && !client_ended_) { read_client(network); }
    if (server_ && !server_ended_) { read_server(network); }
    flush();
    if (!silent_) { forward_ends(); }
}

void proxy_connection::read_client(network_conditions& network) {
    client_ended_ = !receive(client_, requests_);
    if (silent_) {
        requests_.clear();
        return;
    }
    const auto due = clock::now() + network.to_server;
    foreign_ = foreign_ || (!requests_.empty() && requests_.front() != '*');
    try {
        if (!foreign_) { forward_requests(network, due); }
    } catch (const std::runtime_error&) { foreign_ = true; }
    if (late_until_ && client_ended_) { requests_.clear(); }
    if (foreign_ || client_ended_) { to_server_.add(std::exchange(requests_, {}), due); }
}

void proxy_connection::forward_requests(network_conditions& network, clock::time_point due) {
    while (auto request = frame::take(requests_)) {
        const auto fault = network.requests.take_match(request->bytes);
        ++counts_.requests;
        if (network.late && network.late->repeats(request->content)) {
            ++counts_.repeated;
            network.copies.push_back({request->bytes, clock::now() + network.late->delay()});
        }
        if (network.late && !late_until_ && network.late->delays(request->content)) {
            make_late(*network.late);
        }
        if (late_until_) {
            to_server_.add(std::move(request->bytes), std::max(due, *late_until_));
            continue;
        }
        const bool skipped = std::exchange(skips_, skips_answer(request->content));
        if (!skipped && !skips_) {
            awaiting_.push_back(fault);
            awaiting_.resize(awaiting_.size() + answers_to(request->content) - 1);
        }
        to_server_.add(std::move(request->bytes), due,
                       fault.type == proxy_fault::kind::hold_request);
    }
}

/// Earlier answers in flight may be lost, too.
void proxy_connection::make_late(late_delivery& chance) {
    ++counts_.delayed;
    late_until_ = clock::now() + chance.delay();
    to_client_.clear();
    late_pushes_.clear();
    const auto end = chance.ending_for_client();
    if (end == ending::silence) { return; }
    if (end == ending::reset) { close_with_reset(client_); }
    client_.reset();
    client_ended_ = true;
}

void proxy_connection::read_server(network_conditions& network) {
    server_ended_ = !receive(server_, answers_);
    if (silent_ || late_until_) {
        answers_.clear();
        return;
    }
    const auto due = clock::now() + network.to_client;
    try {
        if (!foreign_) { forward_answers(network.pushes, due); }
    } catch (const std::runtime_error&) { foreign_ = true; }
    if (foreign_ || server_ended_) { to_client_.add(std::exchange(answers_, {}), due); }
}

void proxy_connection::forward_answers(fault_list& pushes, clock::time_point due) {
    while (auto answer = frame::take(answers_)) {
        if (is_push(*answer)) {
            ++counts_.pushes;
            const auto fault = pushes.take_match(answer->bytes);
            forward_push(std::move(answer->bytes), fault, due);
            continue;
        }
        if (awaiting_.empty()) { // e.g. an error in place of a skipped answer
            to_client_.add(std::move(answer->bytes), due);
            continue;
        }
        const auto fault = awaiting_.front();
        awaiting_.pop_front();
        ++counts_.answers;
        forward_answer(std::move(answer->bytes), fault, due);
    }
}

void proxy_connection::forward_answer(std::string bytes, const proxy_fault& fault,
                                      clock::time_point due) {
    switch (fault.type) {
    case proxy_fault::kind::drop_answer:
        ++counts_.dropped;
        flush(); // the answers before it
        end(fault.ending);
        return;
    case proxy_fault::kind::mangle:
        to_client_.add(garbage_for(bytes, fault.replacement), due);
        if (fault.replacement == garbage::truncated) {
            flush();
            end(ending::close);
        }
        return;
    case proxy_fault::kind::hold_answer: to_client_.add(std::move(bytes), due, true); return;
    case proxy_fault::kind::hold_request:
    case proxy_fault::kind::pass: to_client_.add(std::move(bytes), due); return;
    }
}

void proxy_connection::forward_push(std::string bytes, const proxy_fault& fault,
                                    clock::time_point due) {
    switch (fault.type) {
    case proxy_fault::kind::drop_answer: ++counts_.dropped_pushes; return;
    case proxy_fault::kind::hold_answer: late_pushes_.push_back(std::move(bytes)); return;
    case proxy_fault::kind::mangle:
    case proxy_fault::kind::hold_request:
    case proxy_fault::kind::pass: forward_answer(std::move(bytes), fault, due); return;
    }
}

void proxy_connection::flush() {
    const auto now = clock::now();
    if (server_) { counts_.bytes_to_server += to_server_.send_to(server_.get(), now); }
    if (client_) { counts_.bytes_to_client += to_client_.send_to(client_.get(), now, trickles_); }
}

void proxy_connection::forward_ends() {
    if (server_ended_) { to_server_.clear(); }
    if (!client_) { to_client_.clear(); }
    if (client_ended_ && to_server_.empty() && !std::exchange(end_forwarded_, true)) {
        ::shutdown(server_.get(), SHUT_WR);
    }
}

void proxy_connection::end(ending ending) {
    if (late_until_) { // bytes in flight still arrive
        if (ending != ending::silence) {
            client_.reset();
            client_ended_ = true;
        }
        return;
    }
    to_client_.clear();
    late_pushes_.clear();
    requests_.clear();
    answers_.clear();
    if (ending == ending::silence) {
        silent_ = true;
        to_server_.clear();
        return;
    }
    if (ending == ending::reset) { close_with_reset(client_); }
    client_.reset();
    client_ended_ = true;
    if (silent_) { server_.reset(); }
    // Requests in flight may be lost, too; held ones still go to the server.
    if (to_server_.held() == 0) {
        to_server_.clear();
        server_.reset();
        server_ended_ = true;
    }
}

void proxy_connection::inject(std::string bytes) {
    if (client_ && !silent_ && !late_until_) { to_client_.add(std::move(bytes), clock::now()); }
}

void proxy_connection::release() {
    to_server_.release();
    to_client_.release();
    for (auto& push : std::exchange(late_pushes_, {})) { inject(std::move(push)); }
}

void proxy_connection::add_to(std::vector<pollfd>& waiting) const {
    const auto now = clock::now();
    const auto add = [&](const base::fd& socket, bool ended, const byte_queue& out) {
        const auto writes = out.ready(now) ? POLLOUT : 0;
        const auto reads = ended ? 0 : POLLIN;
        if (!socket || (writes | reads) == 0) {
            return;
        } // POLLHUP would be reported again and again
        waiting.push_back({socket.get(), static_cast<short>(writes | reads), 0});
    };
    add(client_, client_ended_, to_client_);
    add(server_, server_ended_, to_server_);
}

proxy_connection::clock::time_point proxy_connection::due() const {
    const auto now = clock::now();
    auto out = clock::time_point::max();
    for (const auto* const queue : {&to_server_, &to_client_}) {
        if (!queue->ready(now)) { out = std::min(out, queue->due()); }
    }
    return out;
}

} // namespace holdfast::test
