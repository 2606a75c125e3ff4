#include "holdfast/net/resolver.hpp"

#include "holdfast/base/process.hpp"
#include "holdfast/base/quote.hpp"
#include "holdfast/base/system_text.hpp"

#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <exception>
#include <mutex>
#include <netdb.h>
#include <stdexcept>
#include <sys/eventfd.h>
#include <system_error>
#include <utility>

namespace holdfast::net {

namespace {

// The number of running lookups, in the lower half. fork() copies the number but not the threads,
// so the upper half is the process generation that the number belongs to.
std::atomic<std::uint64_t> running_lookups{0};

std::uint64_t no_running_lookups() noexcept { return base::process_generation() << 32U; }

bool begin_lookup() noexcept {
    auto expected = running_lookups.load();
    for (;;) {
        const bool of_this_process = expected >> 32U == no_running_lookups() >> 32U;
        const auto current = of_this_process ? expected : no_running_lookups();
        if ((current & 0xffffffffU) >= resolver::max_lookups) { return false; }
        if (running_lookups.compare_exchange_weak(expected, current + 1)) { return true; }
    }
}

void end_lookup() noexcept { --running_lookups; }

std::string resolver_error_text(int code, int error) {
    if (code == EAI_SYSTEM) { return base::system_text(error); }
    std::string text = ::gai_strerror(code);
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
    return text;
}

resolution look_up(const std::string& host, std::uint16_t port,
                   const lookup_function& lookup) noexcept {
    try {
        try {
            return lookup(host, port);
        } catch (const std::exception& problem) { return {{}, problem.what()}; }
    } catch (...) {
        resolution none;
        none.failure = "out of memory"; // fits into the string itself: no allocation
        return none;
    }
}

} // namespace

resolution system_lookup(const std::string& host, std::uint16_t port) {
    const std::string not_known = "host name " + base::quote(host) + " is not known: ";
    if (host.empty()) { return {{}, not_known + "it is empty"}; }
    if (host.find('\0') != std::string::npos) { return {{}, not_known + "it holds a zero byte"}; }
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int code = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
    if (code != 0) { return {{}, not_known + resolver_error_text(code, errno)}; }
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner{found, &::freeaddrinfo};
    resolution out;
    for (; found != nullptr && out.addresses.size() < max_addresses; found = found->ai_next) {
        if (found->ai_family != AF_INET && found->ai_family != AF_INET6) { continue; }
        auto& address = out.addresses.emplace_back();
        address.size = found->ai_addrlen;
        std::memcpy(&address.bytes, found->ai_addr, found->ai_addrlen);
        set_port(address, port);
    }
    if (out.addresses.empty()) { out.failure = not_known + "it has no address"; }
    return out;
}

/// Shared by the resolver and its thread; the last of them frees it.
struct resolver::shared {
    base::fd done{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    std::mutex mutex{};
    std::optional<resolution> result{};

    void finish(resolution&& resolution) {
        const std::lock_guard guard{mutex};
        result = std::move(resolution);
        (void)::eventfd_write(done.get(), 1);
    }
};

resolver::resolver(const std::string& host, std::uint16_t port, const lookup_function& lookup)
    : shared_{std::make_shared<shared>()} {
    if (!shared_->done) { throw std::runtime_error{base::descriptor_failure("an eventfd", errno)}; }
    if (!begin_lookup()) {
        shared_->finish({{}, "too many lookups of host names are running; try again later"});
        return;
    }
    try {
        base::library_thread("holdfast-names", [state = shared_, host, port, lookup] {
            auto result = look_up(host, port, lookup);
            end_lookup();
            state->finish(std::move(result));
        }).detach();
    } catch (const std::system_error& refusal) {
        end_lookup();
        shared_->finish({{}, base::thread_refused_text(refusal)});
    } catch (...) {
        end_lookup();
        throw;
    }
}

int resolver::descriptor() const noexcept { return shared_->done.get(); }

std::optional<resolution> resolver::take() {
    const std::lock_guard guard{shared_->mutex};
    return std::exchange(shared_->result, std::nullopt);
}

} // namespace holdfast::net
