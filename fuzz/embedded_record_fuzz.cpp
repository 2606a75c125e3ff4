// The records and waiters in the file of the embedded engine.

#include "fuzz/check.hpp"
#include "holdfast/engine/embedded/codec.hpp"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace holdfast::engine;
    constexpr std::uint32_t boot = 1;
    const embedded::bytes input{reinterpret_cast<const std::byte*>(data), size};
    if (const auto record = embedded::decode_record(input, boot)) {
        embedded::buffer encoded;
        embedded::encode(*record, boot, encoded);
        embedded::buffer again;
        const auto decoded = embedded::decode_record(encoded, boot);
        holdfast::fuzz::check(decoded.has_value(), "an encoded record can be read");
        embedded::encode(*decoded, boot, again);
        holdfast::fuzz::check(encoded == again, "a record survives being written and read");
    }
    admission::waiter waiter;
    (void)embedded::decode_waiter(input, waiter);
    (void)embedded::decode_owner(input);
    return 0;
}
