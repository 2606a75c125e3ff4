#include "support/processes.hpp"

#include <array>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <sstream>
#include <unistd.h>

namespace holdfast::test {

namespace {

/// Of a process that may end while it is read; then as much as there was.
std::string content_of(const std::filesystem::path& file) {
    std::string out;
    const int in = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    std::array<char, 4096> some{};
    for (::ssize_t got = 1; in >= 0 && got > 0;) {
        got = ::read(in, some.data(), some.size());
        if (got > 0) { out.append(some.data(), static_cast<std::size_t>(got)); }
    }
    if (in >= 0) { ::close(in); }
    return out;
}

/// `pid (name) state parent group ...`; the name may itself hold spaces and brackets.
bool parse_stat(const std::string& text, process& into) {
    const auto open = text.find('(');
    const auto close = text.rfind(')');
    if (open == std::string::npos || close == std::string::npos) { return false; }
    into.name = text.substr(open + 1, close - open - 1);
    std::istringstream rest{text.substr(close + 1)};
    return static_cast<bool>(rest >> into.state >> into.parent >> into.group);
}

} // namespace

std::vector<process> all_processes() {
    std::vector<process> out;
    std::error_code ignored;
    for (std::filesystem::directory_iterator at{"/proc", ignored}, end; at != end;
         at.increment(ignored)) {
        const auto name = at->path().filename().string();
        process one;
        const auto* const last = name.data() + name.size();
        if (std::from_chars(name.data(), last, one.pid).ptr != last) { continue; }
        if (parse_stat(content_of(at->path() / "stat"), one)) { out.push_back(one); }
    }
    return out;
}

std::vector<process> processes_with(const std::string& variable) {
    std::vector<process> out;
    for (auto& one : all_processes()) {
        if (one.state == 'Z' || one.state == 'X') { continue; }
        const auto all = '\0' + content_of("/proc/" + std::to_string(one.pid) + "/environ");
        if (all.find('\0' + variable + '\0') != std::string::npos) {
            out.push_back(std::move(one));
        }
    }
    return out;
}

char state_of(pid_t pid) {
    process one;
    return parse_stat(content_of("/proc/" + std::to_string(pid) + "/stat"), one) ? one.state : '\0';
}

std::string command_line_of(pid_t pid) {
    auto text = content_of("/proc/" + std::to_string(pid) + "/cmdline");
    for (auto& one : text) {
        if (one == '\0') { one = ' '; }
    }
    return text;
}

} // namespace holdfast::test
