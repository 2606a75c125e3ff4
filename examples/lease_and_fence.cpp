// A holder stalls and loses its lease. Another one takes over, and the token of the first makes its
// late write fail.

#include <holdfast/holdfast.hpp>

#include <future>
#include <iostream>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

using namespace std::chrono_literals;

namespace {

// [doc: observer]
class log_to_stderr : public holdfast::observer {
public:
    void on_event(const holdfast::event& event) noexcept override {
        std::clog << to_string(event.type) << ' ' << event.name << ": " << event.detail << '\n';
    }
};
// [end]

// [doc: fence]
/// A resource that checks tokens. Check and write are one step, under one mutex.
class ledger {
public:
    void write(const std::string& line, std::uint64_t token) {
        const std::lock_guard lock{mutex_};
        guard_.check(token); // throws stale_token if a newer holder has written
        std::cout << "written: " << line << '\n';
    }

private:
    std::mutex mutex_;
    holdfast::fence guard_;
};
// [end]

} // namespace

int main(int argc, char** argv) {
    holdfast::client_options options;
    options.observer = std::make_shared<log_to_stderr>();
    holdfast::client fleet{argc > 1 ? argv[1] : "embedded:", options};
    holdfast::mutex account{fleet, "account:7"};
    ledger book;

    // [doc: lease]
    // Not renewed, to show a loss; by default a lease is renewed while it is held.
    auto first = account.try_acquire_for(5s, {.lease = 300ms, .renew = false, .note = "clerk 1"});
    if (!first) { return 1; } // someone else held it for 5 s
    std::promise<void> loss_signal;
    const std::stop_callback on_loss{first->lost(), [&loss_signal] { loss_signal.set_value(); }};
    book.write("clerk 1 opens the account", first->token());
    // [end]

    // The work takes longer than the lease. The callback runs on a thread of the library.
    loss_signal.get_future().wait();
    std::cout << "clerk 1 is told, and valid() is " << (first->valid() ? "true" : "false") << '\n';

    auto second = account.acquire({.note = "clerk 2"});
    book.write("clerk 2 pays 10", second.token());
    try {
        book.write("clerk 1 pays 10 again", first->token());
    } catch (const holdfast::error& refused) {
        const bool stale = refused.code() == holdfast::errc::stale_token;
        std::cout << "refused: " << (stale ? "stale token" : refused.what()) << '\n';
    }
    std::cout << "tokens rose: " << (second.token() > first->token() ? "yes" : "no") << '\n';
}
