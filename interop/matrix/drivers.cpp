#include "drivers.hpp"

#include <cstdlib>
#include <iostream>
#include <set>
#include <stdexcept>

namespace holdfast::interop {

namespace {

std::unique_ptr<driver_process> started(words command) {
    auto out = std::make_unique<driver_process>(std::move(command));
    const auto greeting = out->ask("hello");
    if (greeting.rfind("ok ", 0) != 0) { throw std::runtime_error{"hello: " + greeting}; }
    static std::set<std::string> shown; // ./dev interop puts it into its summary
    if (greeting.find("holdfast") == std::string::npos && shown.insert(greeting).second) {
        std::cout << "client: " << greeting.substr(3) << std::endl;
    }
    return out;
}

} // namespace

std::string drivers() {
    const char* const folder = std::getenv("HOLDFAST_INTEROP_DRIVERS");
    if (folder == nullptr) { throw std::runtime_error{"start this with: ./dev interop"}; }
    return folder;
}

std::unique_ptr<driver_process> start_theirs(const std::string& ports,
                                             const client_under_test& client) {
    return started(
        {drivers() + "/" + client.name + "/run", ports, std::to_string(watchdog_lease.count())});
}

std::unique_ptr<driver_process> start_ours(const std::string& ports,
                                           const client_under_test& client) {
    words command{HOLDFAST_INTEROP_DRIVER, ports, std::to_string(watchdog_lease.count()),
                  client.layout};
    if (!client.key_prefix.empty()) { command.push_back("key_prefix=" + client.key_prefix); }
    return started(std::move(command));
}

} // namespace holdfast::interop
