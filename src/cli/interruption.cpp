#include "cli/interruption.hpp"

#include <poll.h>
#include <utility>

namespace holdfast::cli {

interruption_watch::interruption_watch(interruption by)
    : by_{std::move(by)}, thread_{[this] { watch(); }} {}

interruption_watch::~interruption_watch() {
    over_.ring();
    thread_.join();
}

void interruption_watch::watch() {
    std::vector<pollfd> all{pollfd{over_.descriptor(), POLLIN, 0}};
    for (const int each : by_.descriptors) { all.push_back({each, POLLIN, 0}); }
    do {
        ::poll(all.data(), all.size(), -1);
        if (all.front().revents != 0) { return; }
    } while (!by_.arrived());
    stop_.request_stop();
    const int over = ::poll(all.data(), 1, static_cast<int>(patience.count()));
    if (over == 0 && by_.impatient) { by_.impatient(); }
}

} // namespace holdfast::cli
