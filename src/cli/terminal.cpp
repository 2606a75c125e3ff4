#include "cli/terminal.hpp"

#include "cli/signals.hpp"
#include "holdfast/base/fd.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace holdfast::cli {

namespace {

base::fd open_terminal() { return base::fd{::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)}; }

} // namespace

bool in_foreground() {
    const auto terminal = open_terminal();
    return terminal && ::tcgetpgrp(terminal.get()) == ::getpgrp();
}

void reclaim_terminal() {
    const auto terminal = open_terminal();
    if (!terminal) { return; }
    const auto foreground = ::tcgetpgrp(terminal.get());
    const bool dead = foreground > 0 && ::kill(-foreground, 0) != 0 && errno == ESRCH;
    if (!dead) { return; }
    ignore({SIGTTOU}); // tcsetpgrp from the background would stop us
    ::tcsetpgrp(terminal.get(), ::getpgrp());
}

} // namespace holdfast::cli
