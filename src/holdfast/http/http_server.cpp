#include "holdfast/http/http_server.hpp"

#include "holdfast/base/process.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
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

http_server::http_server(const listen_address& address, handler handle)
    : generation_{base::process_generation()},
      handle_{std::move(handle)},
      listener_{listen_on(address)},
      stop_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)},
      address_{local_address(listener_.get())} {
    if (!stop_) { throw std::system_error{errno, std::generic_category(), "eventfd"}; }
    exchanges_.reserve(most_exchanges);
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
        } catch (const std::exception&) { // no memory: drop who asked, keep serving
            exchanges_.clear();
        }
    }
}

void http_server::run_once() {
    std::vector<pollfd> polled;
    polled.reserve(exchanges_.size() + 2);
    auto now = boot_clock::now();
    const bool accepts = exchanges_.size() < most_exchanges && now >= accept_again_;
    polled.push_back({stop_.get(), POLLIN, 0});
    polled.push_back({accepts ? listener_.get() : -1, POLLIN, 0});
    for (const auto& each : exchanges_) { polled.push_back({each.descriptor(), each.wanted(), 0}); }
    if (::poll(polled.data(), polled.size(), time_out(now)) < 0) { return; }
    now = boot_clock::now();
    std::size_t at = 2;
    std::erase_if(exchanges_, [&](http_exchange& each) {
        const bool ready = polled[at++].revents != 0;
        return now >= each.deadline() || (ready && !each.progress(handle_));
    });
    if (polled[1].revents != 0) { accept_all(now); }
}

void http_server::accept_all(instant now) {
    while (exchanges_.size() < most_exchanges) {
        base::fd socket{::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
        if (!socket) {
            const bool exhausted = errno == EMFILE || errno == ENFILE || errno == ENOMEM ||
                                   errno == ENOBUFS; // it stays readable: do not spin
            if (exhausted) { accept_again_ = now + accept_pause; }
            return;
        }
        exchanges_.emplace_back(std::move(socket), now + longest_exchange);
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
