#include "support/terminal.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace holdfast::test {

namespace {

std::vector<char*> to_pointers(std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (auto& text : texts) { out.push_back(text.data()); }
    out.push_back(nullptr);
    return out;
}

} // namespace

std::string terminal_failure() {
    int master = -1;
    int slave = -1;
    if (::openpty(&master, &slave, nullptr, nullptr, nullptr) != 0) {
        return "openpty: " + std::generic_category().message(errno);
    }
    ::close(master);
    ::close(slave);
    return {};
}

void terminal::start(const sandbox& sandbox, const words& command) {
    auto argument_texts = command;
    auto variables = sandbox.environment({.variables = {{"TERM", "xterm"}, {"PS1", "ready> "}}});
    const auto argv = to_pointers(argument_texts);
    const auto envp = to_pointers(variables);
    const auto folder = sandbox.file("");
    winsize size{.ws_row = 24, .ws_col = 200, .ws_xpixel = 0, .ws_ypixel = 0};
    const auto child = ::forkpty(&fd_, nullptr, nullptr, &size);
    if (child < 0) { throw std::system_error{errno, std::generic_category(), "forkpty"}; }
    if (child == 0) {
        for (int signal = 1; signal < NSIG; ++signal) { ::signal(signal, SIG_DFL); }
        if (::chdir(folder.c_str()) == 0) { ::execvpe(argv[0], argv.data(), envp.data()); }
        ::_exit(127);
    }
    pid_ = child;
    ::fcntl(fd_, F_SETFL, O_NONBLOCK);
    ::fcntl(fd_, F_SETFD, FD_CLOEXEC);
}

terminal::~terminal() {
    hang_up();
    if (pid_ == 0) { return; }
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

void terminal::hang_up() {
    if (fd_ >= 0) { ::close(fd_); }
    fd_ = -1;
}

void terminal::type(std::string_view text) const {
    while (!text.empty()) {
        const auto written = ::write(fd_, text.data(), text.size());
        if (written < 0) { throw std::system_error{errno, std::generic_category(), "terminal"}; }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

void terminal::read_output() {
    std::array<char, 4096> buffer{};
    for (;;) {
        const auto length = ::read(fd_, buffer.data(), buffer.size());
        if (length <= 0) { return; }
        screen_.append(buffer.data(), static_cast<std::size_t>(length));
    }
}

bool terminal::shows(std::string_view text, milliseconds within) {
    return eventually(
        [&] {
            read_output();
            const auto at = screen_.find(text, seen_);
            if (at == std::string::npos) { return false; }
            seen_ = at + text.size();
            return true;
        },
        within);
}

const std::string& terminal::screen() {
    read_output();
    return screen_;
}

pid_t terminal::foreground() const {
    pid_t group = 0;
    ::ioctl(fd_, TIOCGPGRP, &group);
    return group;
}

} // namespace holdfast::test
