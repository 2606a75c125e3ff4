// Replies of a Redis server: the reader, and everything that reads one reply.

#include "fuzz/check.hpp"
#include "holdfast/engine/redis/checkup/cluster_view.hpp"
#include "holdfast/engine/redis/checkup/sentinel_view.hpp"
#include "holdfast/engine/redis/checkup/server_facts.hpp"
#include "holdfast/engine/redis/protocol/redirection.hpp"
#include "holdfast/engine/redis/protocol/reply.hpp"
#include "holdfast/engine/redis/protocol/server_error.hpp"
#include "holdfast/engine/redis/topology/slot_map.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace holdfast::engine::redis;

/// All that a reply contains, as text.
void describe(const reply& reply, std::string& out) {
    out += reply.is_push() ? '>' : reply.is_error() ? '-' : reply.is_array() ? '*' : '$';
    if (reply.is_integer()) { out += std::to_string(reply.integer()); }
    out += reply.text();
    for (std::size_t at = 0; at < reply.size(); ++at) {
        (void)reply.number(at);
        (void)reply.word(at);
        describe(reply[at], out);
    }
    out += ';';
}

void read_everything(const reply& reply) {
    server_facts facts;
    read_hello(reply, facts);
    (void)read_time(reply, "server", 0, 1);
    (void)read_slow_scripts(reply);
    sentinel_view sentinel;
    read_master(reply, sentinel);
    (void)read_replicas(reply);
    const auto text = read_text(reply);
    (void)read_cluster(text, text, "host");
    (void)is_our_key(reply.text(), "hf:");
    if (reply.is_error()) {
        (void)parse_server_error(reply.text(), "server");
        (void)parse_redirection(reply.text());
    }
    if (const auto slots = read_slots(reply, "host")) {
        slot_map map;
        (void)map.replace(*slots);
    }
    const kept_reply copy{reply};
    std::string original;
    std::string copied;
    describe(reply, original);
    describe(copy.view(), copied);
    if (!reply.is_push()) {
        holdfast::fuzz::check(original == copied, "a copy of a reply equals it");
    }
}

/// What a reader makes of the bytes, in portions of this size.
std::string read_in_portions(std::span<const char> bytes, std::size_t portion, bool examine) {
    reply_reader reader;
    std::string out;
    while (!bytes.empty()) {
        const auto count = std::min(portion, bytes.size());
        const bool good = reader.read(bytes.first(count), [&](const reply& reply) {
            describe(reply, out);
            if (examine) { read_everything(reply); }
        });
        if (!good) { return out + "broken"; }
        bytes = bytes.subspan(count);
    }
    return out;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span bytes{reinterpret_cast<const char*>(data), size};
    const auto whole = read_in_portions(bytes, size, true);
    holdfast::fuzz::check(read_in_portions(bytes, 1, false) == whole &&
                              read_in_portions(bytes, 7, false) == whole,
                          "replies do not depend on how their bytes arrive");
    return 0;
}
