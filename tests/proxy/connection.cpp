#include "proxy/connection.hpp"

#include "proxy/frame.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <sys/socket.h>
#include <utility>

namespace holdfast::test {

namespace {

/// Appends what is there; false: the other side has ended.
bool receive(const base::fd& from, std::string& into) {
    std::array<char, 16'384> some{};
    for (;;) {
        const auto got = ::recv(from.get(), some.data(), some.size(), MSG_DONTWAIT);
        if (got == 0) { return false; }
        if (got < 0 && errno == EINTR) { continue; }
        if (got < 0) { return errno == EAGAIN || errno == EWOULDBLOCK; }
        into.append(some.data(), static_cast<std::size_t>(got));
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

connection::connection(base::fd client, base::fd server)
    : client_{std::move(client)}, server_{std::move(server)}, silent_{!server_} {
    counts_.connections = 1;
}

connection::connection(base::fd server, network::copy late)
    : server_{std::move(server)}, late_until_{late.due}, silent_{false}, client_ended_{true} {
    to_server_.add(std::move(late.bytes), late.due);
}

bool connection::ended() const {
    if (silent_) { return !client_ && !server_; }
    return server_ended_ && to_client_.empty();
}

proxy_counts connection::counts() const {
    auto out = counts_;
    out.open = client_ && !client_ended_ ? 1 : 0;
    out.held = to_server_.held() + to_client_.held() + late_pushes_.size();
    return out;
}

void connection::step(network& network) {
    trickles_ = network.trickles;
    if (client_ && !client_ended_) { take_from_client(network); }
    if (server_ && !server_ended_) { take_from_server(network); }
    flush();
    if (!silent_) { pass_on_ends(); }
}

void connection::take_from_client(network& network) {
    client_ended_ = !receive(client_, requests_);
    if (silent_) {
        requests_.clear();
        return;
    }
    const auto due = clock::now() + network.to_server;
    foreign_ = foreign_ || (!requests_.empty() && requests_.front() != '*');
    try {
        if (!foreign_) { take_requests(network, due); }
    } catch (const std::runtime_error&) { foreign_ = true; }
    if (late_until_ && client_ended_) { requests_.clear(); }
    if (foreign_ || client_ended_) { to_server_.add(std::exchange(requests_, {}), due); }
}

void connection::take_requests(network& net, clock::time_point due) {
    while (auto request = frame::take(requests_)) {
        const auto as = net.requests.fate_of(request->bytes);
        ++counts_.requests;
        if (net.late && net.late->repeats(request->content)) {
            ++counts_.repeated;
            net.copies.push_back({request->bytes, clock::now() + net.late->delay()});
        }
        if (net.late && !late_until_ && net.late->delays(request->content)) {
            become_late(*net.late);
        }
        if (late_until_) {
            to_server_.add(std::move(request->bytes), std::max(due, *late_until_));
            continue;
        }
        const bool skipped = std::exchange(skips_, skips_answer(request->content));
        if (!skipped && !skips_) {
            awaiting_.push_back(as);
            awaiting_.resize(awaiting_.size() + answers_to(request->content) - 1);
        }
        to_server_.add(std::move(request->bytes), due, as.happens == op_status::what::hold_request);
    }
}

/// What was answered before may be lost on its way, too.
void connection::become_late(late_delivery& chance) {
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

void connection::take_from_server(network& network) {
    server_ended_ = !receive(server_, answers_);
    if (silent_ || late_until_) {
        answers_.clear();
        return;
    }
    const auto due = clock::now() + network.to_client;
    try {
        if (!foreign_) { take_answers(network.pushes, due); }
    } catch (const std::runtime_error&) { foreign_ = true; }
    if (foreign_ || server_ended_) { to_client_.add(std::exchange(answers_, {}), due); }
}

void connection::take_answers(fault_list& pushes, clock::time_point due) {
    while (auto answer = frame::take(answers_)) {
        if (is_push(*answer)) {
            ++counts_.pushes;
            const auto as = pushes.fate_of(answer->bytes);
            pass_push(std::move(answer->bytes), as, due);
            continue;
        }
        if (awaiting_.empty()) { // e.g. an error to what was not to be answered
            to_client_.add(std::move(answer->bytes), due);
            continue;
        }
        const auto as = awaiting_.front();
        awaiting_.pop_front();
        ++counts_.answers;
        pass_answer(std::move(answer->bytes), as, due);
    }
}

void connection::pass_answer(std::string bytes, const op_status& as, clock::time_point due) {
    switch (as.happens) {
    case op_status::what::drop_answer:
        ++counts_.dropped;
        flush(); // the answers before it
        end(as.then);
        return;
    case op_status::what::mangle:
        to_client_.add(garbage_for(bytes, as.instead), due);
        if (as.instead == garbage::truncated) {
            flush();
            end(ending::close);
        }
        return;
    case op_status::what::hold_answer: to_client_.add(std::move(bytes), due, true); return;
    case op_status::what::hold_request:
    case op_status::what::pass: to_client_.add(std::move(bytes), due); return;
    }
}

void connection::pass_push(std::string bytes, const op_status& as, clock::time_point due) {
    switch (as.happens) {
    case op_status::what::drop_answer: ++counts_.dropped_pushes; return;
    case op_status::what::hold_answer: late_pushes_.push_back(std::move(bytes)); return;
    case op_status::what::mangle:
    case op_status::what::hold_request:
    case op_status::what::pass: pass_answer(std::move(bytes), as, due); return;
    }
}

void connection::flush() {
    const auto now = clock::now();
    if (server_) { counts_.bytes_to_server += to_server_.send_to(server_.get(), now); }
    if (client_) { counts_.bytes_to_client += to_client_.send_to(client_.get(), now, trickles_); }
}

void connection::pass_on_ends() {
    if (server_ended_) { to_server_.clear(); }
    if (!client_) { to_client_.clear(); }
    if (client_ended_ && to_server_.empty() && !std::exchange(server_told_, true)) {
        ::shutdown(server_.get(), SHUT_WR);
    }
}

void connection::end(ending ending) {
    if (late_until_) { // what is on its way arrives all the same
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
    // Requests without answers may be cut off, too; those that are held go on alone.
    if (to_server_.held() == 0) {
        to_server_.clear();
        server_.reset();
        server_ended_ = true;
    }
}

void connection::inject(std::string bytes) {
    if (client_ && !silent_ && !late_until_) { to_client_.add(std::move(bytes), clock::now()); }
}

void connection::release() {
    to_server_.release();
    to_client_.release();
    for (auto& one : std::exchange(late_pushes_, {})) { inject(std::move(one)); }
}

void connection::add_to(std::vector<pollfd>& waiting) const {
    const auto now = clock::now();
    const auto add = [&](const base::fd& socket, bool ended, const lane& out) {
        const auto writes = out.ready(now) ? POLLOUT : 0;
        const auto reads = ended ? 0 : POLLIN;
        if (!socket || (writes | reads) == 0) { return; } // it would tell of its end for ever
        waiting.push_back({socket.get(), static_cast<short>(writes | reads), 0});
    };
    add(client_, client_ended_, to_client_);
    add(server_, server_ended_, to_server_);
}

connection::clock::time_point connection::due() const {
    const auto now = clock::now();
    auto out = clock::time_point::max();
    for (const auto* const one : {&to_server_, &to_client_}) {
        if (!one->ready(now)) { out = std::min(out, one->due()); }
    }
    return out;
}

} // namespace holdfast::test
