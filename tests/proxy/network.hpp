#pragma once
// What a proxy does to all its connections.

#include "proxy/faults.hpp"
#include "proxy/lane.hpp"
#include "proxy/late_delivery.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::test {

struct network {
    /// A copy of a request, to be delivered on a connection of its own.
    struct copy {
        std::string bytes;
        lane::clock::time_point due;
    };

    fault_list requests{}; ///< and their answers
    fault_list pushes{};
    std::chrono::milliseconds to_server{0}; ///< how late it is, each way
    std::chrono::milliseconds to_client{0};
    bool trickles = false; ///< bytes go to the client one by one
    std::optional<late_delivery> late{};
    std::vector<copy> copies{}; ///< that no connection carries yet
};

} // namespace holdfast::test
