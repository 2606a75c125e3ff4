// Sentinels that answer with anything, and the master that they name.

#include "fuzz/redis_conversation.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    holdfast::fuzz::redis_conversation conversation{"redis+sentinel://first:1,first:2/mymaster",
                                                    "sentinel",
                                                    {reinterpret_cast<const char*>(data), size}};
    holdfast::fuzz::converse(conversation);
    return 0;
}
