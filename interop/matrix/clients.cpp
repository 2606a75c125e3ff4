#include "clients.hpp"

#include <algorithm>
#include <ostream>

namespace holdfast::interop {

using namespace std::chrono_literals;

std::string client_under_test::test_name() const {
    auto out = name;
    std::replace(out.begin(), out.end(), '-', '_');
    return out;
}

const std::vector<client_under_test>& all_clients() {
    static const std::vector<client_under_test> all{
        {.name = "redisson",
         .layout = "redisson",
         .again = reentry::counted,
         .tells = telling::time_left,
         .watchdog = true,
         .forces = true,
         .fences = true},
        {.name = "go-zero",
         .layout = "plain",
         .again = reentry::refreshes,
         .renews = true,
         .polls = 20ms},
        {.name = "redsync",
         .layout = "plain",
         .again = reentry::refused,
         .renews = true,
         .quorum = true,
         .polls = 250ms},
        {.name = "redis-py",
         .layout = "plain",
         .again = reentry::refused,
         .tells = telling::whether_held,
         .renews = true,
         .endless = true,
         .polls = 100ms},
        {.name = "node-redlock",
         .layout = "plain",
         .again = reentry::refused,
         .watchdog = true,
         .renews = true,
         .quorum = true,
         .polls = 300ms},
        {.name = "pottery",
         .layout = "plain",
         .key_prefix = "redlock:",
         .again = reentry::refused,
         .renews = true,
         .quorum = true,
         .polls = 200ms},
    };
    return all;
}

std::vector<client_under_test> redisson_alone() {
    auto all = all_clients();
    std::erase_if(all, [](const auto& client) { return client.name != "redisson"; });
    return all;
}

std::vector<client_under_test> quorum_clients() {
    auto all = all_clients();
    std::erase_if(all, [](const auto& client) { return !client.quorum; });
    return all;
}

void PrintTo(const client_under_test& client, std::ostream* out) { *out << client.name; }

} // namespace holdfast::interop
