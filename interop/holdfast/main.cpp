// Holdfast behind the line protocol of interop/PROTOCOL.md: PORTS WATCHDOG_MS LAYOUT [PARAMETERS]

#include "driver.hpp"

#include <cstdlib>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>

int main(int argc, char** argv) {
    using namespace holdfast;
    const interop::words given{argv + 1, argv + argc};
    if (given.size() < 3 || given.size() > 4) {
        std::cerr
            << "driver [cluster:]PORT[,PORT...] WATCHDOG_MS plain|redisson [URL_PARAMETERS]\n";
        return 2;
    }
    interop::driver all{{.ports = given[0],
                         .layout = given[2] == "redisson" ? layout::redisson : layout::plain,
                         .watchdog = std::chrono::milliseconds{std::stoll(given[1])},
                         .parameters = given.size() > 3 ? given[3] : ""}};
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream in{line};
        std::string number;
        std::string command;
        in >> number >> command;
        if (command == "quit") { break; }
        all.handle(number, command, interop::words{std::istream_iterator<std::string>{in}, {}});
    }
    std::_Exit(0); // as it says: nothing is released
}
