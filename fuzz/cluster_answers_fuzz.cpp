// Nodes of a cluster that answer CLUSTER SLOTS and operations with anything.

#include "fuzz/redis_conversation.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    holdfast::fuzz::redis_conversation conversation{
        "redis+cluster://first:1,first:2", "cluster", {reinterpret_cast<const char*>(data), size}};
    holdfast::fuzz::converse(conversation);
    return 0;
}
