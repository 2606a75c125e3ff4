#include "holdfast/net/resolver.hpp"

#include "holdfast/base/process.hpp"
#include "holdfast/base/quote.hpp"
#include "holdfast/net/system_text.hpp"

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

// How many lookups are under way. fork() copies the number but not the threads, so the process's
// generation stands beside it, in the upper half.
std::atomic<std::uint64_t> under_way{0};

std::uint64_t none_under_way() noexcept { return base::process_generation() << 32U; }

bool enter() noexcept {
    auto seen = under_way.load();
    for (;;) {
        const auto from = seen >> 32U == none_under_way() >> 32U ? seen : none_under_way();
        if ((from & 0xffffffffU) >= resolver::most_lookups) { return false; }
        if (under_way.compare_exchange_weak(seen, from + 1)) { return true; }
    }
}

void leave() noexcept { --under_way; }

std::string why(int code, int error) {
    if (code == EAI_SYSTEM) { return system_text(error); }
    std::string text = ::gai_strerror(code);
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
    return text;
}

resolution look_up(const std::string& host, std::uint16_t port, const lookup& target) noexcept {
    try {
        try {
            return target(host, port);
        } catch (const std::exception& problem) { return {{}, problem.what()}; }
    } catch (...) {
        resolution none;
        none.failure = "out of memory"; // short enough to need none
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
    if (code != 0) { return {{}, not_known + why(code, errno)}; }
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner{found, &::freeaddrinfo};
    resolution out;
    for (; found != nullptr && out.addresses.size() < most_addresses; found = found->ai_next) {
        if (found->ai_family != AF_INET && found->ai_family != AF_INET6) { continue; }
        auto& one = out.addresses.emplace_back();
        one.size = found->ai_addrlen;
        std::memcpy(&one.bytes, found->ai_addr, found->ai_addrlen);
        set_port(one, port);
    }
    if (out.addresses.empty()) { out.failure = not_known + "it has no address"; }
    return out;
}

/// What the resolver and its thread have in common; the last of them frees it.
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

resolver::resolver(const std::string& host, std::uint16_t port, const lookup& target)
    : shared_{std::make_shared<shared>()} {
    if (!shared_->done) { throw std::runtime_error{descriptor_failure("an eventfd", errno)}; }
    if (!enter()) {
        shared_->finish({{}, "too many lookups of host names are running; try again later"});
        return;
    }
    try {
        base::library_thread("holdfast-names", [to = shared_, host, port, target] {
            auto found = look_up(host, port, target);
            leave();
            to->finish(std::move(found));
        }).detach();
    } catch (const std::system_error& refusal) {
        leave();
        shared_->finish({{}, base::advice_on_threads(refusal)});
    } catch (...) {
        leave();
        throw;
    }
}

int resolver::descriptor() const noexcept { return shared_->done.get(); }

std::optional<resolution> resolver::take() {
    const std::lock_guard guard{shared_->mutex};
    return std::exchange(shared_->result, std::nullopt);
}

} // namespace holdfast::net
