#include "holdfast/http/http_server.hpp"

#include "holdfast/base/process.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <exception>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <system_error>
#include <utility>

namespace holdfast::http {

using base::boot_clock;
using base::instant;

namespace {
constexpr base::milliseconds accept_pause{100}; // when descriptors or memory have run out
} // namespace

http_server::http_server(base::fd listener, server_settings settings)
    : generation_{base::process_generation()},
      settings_{std::move(settings)},
      handle_{[this](const http_request& request) { return handle_or_refuse(request); }},
      listener_{std::move(listener)},
      stop_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)},
      address_{local_address(listener_.get())} {
    if (!stop_) { throw std::system_error{errno, std::generic_category(), "eventfd"}; }
    exchanges_.reserve(settings_.limits.most_exchanges);
    thread_ = base::library_thread("holdfast-http", [this] { run(); });
}

http_server::~http_server() {
    if (generation_ != base::process_generation()) { // the thread is the parent's
        thread_.detach();
        return;
    }
    const std::uint64_t signal = 1;
    [[maybe_unused]] const auto written = ::write(stop_.get(), &signal, sizeof signal);
    thread_.join();
}

void http_server::run() noexcept {
    std::uint64_t ignored = 0;
    while (::read(stop_.get(), &ignored, sizeof ignored) < 0) {
        try {
            run_once();
        } catch (const std::exception&) { end_exchanges(); } // no memory: keep serving
    }
    end_exchanges();
}

void http_server::run_once() {
    std::vector<pollfd> polled;
    polled.reserve(exchanges_.size() + 3);
    auto now = boot_clock::now();
    const bool accepts =
        exchanges_.size() < settings_.limits.most_exchanges && now >= accept_again_;
    polled.push_back({stop_.get(), POLLIN, 0});
    polled.push_back({accepts ? listener_.get() : -1, POLLIN, 0});
    polled.push_back({settings_.outbox ? settings_.outbox->descriptor() : -1, POLLIN, 0});
    for (const auto& each : exchanges_) { polled.push_back({each.descriptor(), each.wanted(), 0}); }
    if (::poll(polled.data(), polled.size(), time_out(now)) < 0) { return; }
    now = boot_clock::now();
    std::vector<exchange_id> over;
    for (std::size_t at = 0; at < exchanges_.size(); ++at) {
        auto& each = exchanges_[at];
        const bool ready = polled[at + 3].revents != 0;
        if (now >= each.deadline() || (ready && !each.progress(handle_, now))) {
            over.push_back(each.id());
        }
    }
    for (const auto id : over) { end_exchange(id); }
    if (polled[2].revents != 0) { deliver(now); }
    if (polled[1].revents != 0) { accept_all(now); }
}

void http_server::end_exchange(exchange_id id) {
    auto* const found = find(id);
    if (found->is_stream()) { settings_.on_stream_end(id); }
    exchanges_.erase(exchanges_.begin() + (found - exchanges_.data()));
}

void http_server::deliver(instant now) {
    for (auto& message : settings_.outbox->take()) {
        auto* const exchange = find(message.exchange);
        if (exchange == nullptr) { continue; }
        if (message.part) {
            exchange->send(std::move(message.part), now);
        } else {
            exchange->complete(message.whole, now);
        }
    }
}

http_exchange* http_server::find(exchange_id id) noexcept {
    const auto found = std::find_if(exchanges_.begin(), exchanges_.end(),
                                    [id](const http_exchange& each) { return each.id() == id; });
    return found == exchanges_.end() ? nullptr : &*found;
}

/// Streams leave room for requests.
response http_server::handle_or_refuse(const http_request& request) const {
    const auto streams = std::count_if(exchanges_.begin(), exchanges_.end(),
                                       [](const auto& each) { return each.is_stream(); });
    auto out = settings_.handle(request);
    if (out.delivery == delivery::stream &&
        static_cast<std::size_t>(streams) >= settings_.limits.most_streams) {
        settings_.on_stream_end(request.exchange);
        return {.status = 503, .body = "too many streams are open; close a page\n"};
    }
    return out;
}

void http_server::end_exchanges() noexcept {
    for (const auto& each : exchanges_) {
        if (each.is_stream()) { settings_.on_stream_end(each.id()); }
    }
    exchanges_.clear();
}

void http_server::accept_all(instant now) {
    while (exchanges_.size() < settings_.limits.most_exchanges) {
        base::fd socket{::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
        if (!socket) {
            const bool exhausted = errno == EMFILE || errno == ENFILE || errno == ENOMEM ||
                                   errno == ENOBUFS; // it stays readable: do not spin
            if (exhausted) { accept_again_ = now + accept_pause; }
            return;
        }
        exchanges_.emplace_back(++last_id_, std::move(socket), settings_.limits, now);
    }
}

int http_server::time_out(instant now) const noexcept {
    auto next = accept_again_ > now ? accept_again_ : base::never;
    for (const auto& each : exchanges_) { next = std::min(next, each.deadline()); }
    if (next == base::never) { return -1; }
    const auto left = std::chrono::ceil<base::milliseconds>(next - now).count();
    return static_cast<int>(std::max<base::milliseconds::rep>(left, 0));
}

} // namespace holdfast::http
