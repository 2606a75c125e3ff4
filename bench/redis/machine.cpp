#include "redis/machine.hpp"

#include "redis/hiredis_connection.hpp"

#include <fstream>
#include <sstream>
#include <string_view>
#include <sys/utsname.h>
#include <thread>

namespace holdfast::bench::redis {

namespace {

/// The rest of the line after `key`; empty if the text has no such key.
std::string value_of(std::string_view key, std::string_view text) {
    const auto found = text.find(key);
    if (found == std::string_view::npos) { return {}; }
    text.remove_prefix(found + key.size());
    return std::string{text.substr(0, text.find_first_of("\r\n"))};
}

} // namespace

std::string describe_machine(const server& server) {
    std::ostringstream cpus;
    cpus << std::ifstream{"/proc/cpuinfo"}.rdbuf();
    utsname kernel{};
    ::uname(&kernel);
    std::string load;
    std::getline(std::ifstream{"/proc/loadavg"}, load);
    const auto info = hiredis_connection{server.port()}.ask({"INFO", "server"});
    return std::to_string(std::thread::hardware_concurrency()) + " x " +
           value_of("model name\t: ", cpus.str()) + ", Linux " + &kernel.release[0] +
           ", compiler " + __VERSION__ + ", server " +
           value_of("redis_version:", {info->str, info->len}) + ", load average before " +
           load.substr(0, load.find(' '));
}

} // namespace holdfast::bench::redis
