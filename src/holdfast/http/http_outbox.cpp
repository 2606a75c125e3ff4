#include "holdfast/http/http_outbox.hpp"

#include <cerrno>
#include <cstdint>
#include <sys/eventfd.h>
#include <system_error>
#include <utility>

namespace holdfast::http {

http_outbox::http_outbox() : ready_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
    if (!ready_) { throw std::system_error{errno, std::generic_category(), "eventfd"}; }
}

void http_outbox::send(exchange_id stream, stream_part part) { add({stream, std::move(part), {}}); }

void http_outbox::complete(exchange_id exchange, response response) {
    add({exchange, nullptr, std::move(response)});
}

std::vector<http_outbox::message> http_outbox::take() {
    const std::lock_guard lock{mutex_};
    std::uint64_t ignored = 0;
    [[maybe_unused]] const auto count = ::read(ready_.get(), &ignored, sizeof ignored);
    return std::exchange(messages_, {});
}

void http_outbox::add(message added) {
    const std::lock_guard lock{mutex_};
    messages_.push_back(std::move(added));
    const std::uint64_t signal = 1;
    [[maybe_unused]] const auto written = ::write(ready_.get(), &signal, sizeof signal);
}

} // namespace holdfast::http
