#include "server_keys.hpp"

#include <regex>

namespace holdfast::interop {

std::vector<std::string> keys_of(test::redis_server& server, const std::string& pattern) {
    std::vector<std::string> out;
    std::string cursor = "0";
    do {
        const auto page = server.command({"SCAN", cursor, "MATCH", pattern, "COUNT", "1000"});
        cursor = page.items().at(0).string();
        for (const auto& key : page.items().at(1).items()) { out.push_back(key.string()); }
    } while (cursor != "0");
    return out;
}

std::string undocumented_keys(test::redis_server& server) {
    // docs/layouts.md: the only keys that outlive a lock.
    static const std::regex documented{
        R"(redisson_lock_token:.*|redisson_countdownlatch_arrivals:.*|hf:token:.*|semaphore:.*)"};
    std::string out;
    for (const auto& key : keys_of(server)) {
        if (std::regex_match(key, documented)) { continue; }
        out += key + ": " + server.command({"GET", key}).text() + ", for " +
               std::to_string(time_to_live(server, key).count()) + " ms\n";
    }
    return out;
}

test::milliseconds time_to_live(test::redis_server& server, const std::string& key) {
    return test::milliseconds{server.command({"PTTL", key}).number()};
}

} // namespace holdfast::interop
