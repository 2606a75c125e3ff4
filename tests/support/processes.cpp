#include "support/processes.hpp"

#include <array>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <sstream>
#include <unistd.h>

namespace holdfast::test {

namespace {

/// The contents of a file of a process, which may end meanwhile: what was read until then.
std::string content_of(const std::filesystem::path& file) {
    std::string out;
    const int file_descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    std::array<char, 4096> buffer{};
    for (::ssize_t count = 1; file_descriptor >= 0 && count > 0;) {
        count = ::read(file_descriptor, buffer.data(), buffer.size());
        if (count > 0) { out.append(buffer.data(), static_cast<std::size_t>(count)); }
    }
    if (file_descriptor >= 0) { ::close(file_descriptor); }
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
        process entry;
        const auto* const last = name.data() + name.size();
        if (std::from_chars(name.data(), last, entry.pid).ptr != last) { continue; }
        if (parse_stat(content_of(at->path() / "stat"), entry)) { out.push_back(entry); }
    }
    return out;
}

std::vector<process> processes_with(const std::string& variable) {
    std::vector<process> out;
    for (auto& entry : all_processes()) {
        if (entry.state == 'Z' || entry.state == 'X') { continue; }
        const auto all = '\0' + content_of("/proc/" + std::to_string(entry.pid) + "/environ");
        if (all.find('\0' + variable + '\0') != std::string::npos) {
            out.push_back(std::move(entry));
        }
    }
    return out;
}

char state_of(pid_t pid) {
    process entry;
    return parse_stat(content_of("/proc/" + std::to_string(pid) + "/stat"), entry) ? entry.state
                                                                                   : '\0';
}

std::string command_line_of(pid_t pid) {
    auto text = content_of("/proc/" + std::to_string(pid) + "/cmdline");
    for (auto& character : text) {
        if (character == '\0') { character = ' '; }
    }
    return text;
}

} // namespace holdfast::test
