#pragma once
// Faults, delays and late deliveries that apply to all connections of a proxy.

#include "proxy/byte_queue.hpp"
#include "proxy/faults.hpp"
#include "proxy/late_delivery.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::test {

struct network_conditions {
    /// A copy of a request, to be delivered on a connection of its own.
    struct copy {
        std::string bytes;
        byte_queue::clock::time_point due;
    };

    fault_list requests{}; ///< and their answers
    fault_list pushes{};
    std::chrono::milliseconds to_server{0}; ///< delay of each direction
    std::chrono::milliseconds to_client{0};
    bool trickles = false; ///< bytes go to the client one by one
    std::optional<late_delivery> late{};
    std::vector<copy> copies{}; ///< not delivered yet
};

} // namespace holdfast::test
