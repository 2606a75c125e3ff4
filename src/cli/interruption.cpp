#include "cli/interruption.hpp"

#include "cli/errno_error.hpp"

#include <poll.h>
#include <system_error>
#include <utility>

namespace holdfast::cli {

interruption_watch::interruption_watch(interruption interruption)
    : interruption_{std::move(interruption)} {
    try {
        thread_ = std::thread{[this] { watch(); }};
    } catch (const std::system_error& refusal) {
        throw errno_error("cannot start a thread", refusal.code().value(), raise_process_limit);
    }
}

interruption_watch::~interruption_watch() {
    finished_.signal();
    thread_.join();
}

void interruption_watch::watch() {
    std::vector<pollfd> all{pollfd{finished_.descriptor(), POLLIN, 0}};
    for (const int descriptor : interruption_.descriptors) {
        all.push_back({descriptor, POLLIN, 0});
    }
    do {
        ::poll(all.data(), all.size(), -1);
        if (all.front().revents != 0) { return; }
    } while (!interruption_.read());
    stop_.request_stop();
    const int ready = ::poll(all.data(), 1, static_cast<int>(cancel_timeout.count()));
    if (ready == 0 && interruption_.on_timeout) { interruption_.on_timeout(); }
}

} // namespace holdfast::cli
