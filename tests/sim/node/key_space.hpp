#pragma once
// The keys of a simulated server.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace holdfast::sim {

/// Fields in the order in which they were added, as small hashes of Redis have them.
using hash_value = std::vector<std::pair<std::string, std::string>>;

/// Members by score, then by name.
struct scored_member {
    double score = 0;
    std::string member{};
    auto operator<=>(const scored_member&) const = default;
};
using zset_value = std::vector<scored_member>;

struct key_entry {
    static constexpr std::int64_t no_expiry = -1;

    std::variant<std::string, hash_value, zset_value> value{};
    std::int64_t expires_ms = no_expiry;
    bool operator==(const key_entry&) const = default;
};

/// Strings, hashes and sorted sets with expiry. A key that has expired is gone at its next use.
///
/// Thread safety: none.
class key_space {
public:
    using map = std::map<std::string, key_entry, std::less<>>;

    /// The clock that expiry uses; it stands still during a script, as in Redis.
    void set_clock(std::int64_t now_ms) noexcept { now_ms_ = now_ms; }
    [[nodiscard]] std::int64_t clock() const noexcept { return now_ms_; }

    /// Null: there is no such key.
    [[nodiscard]] key_entry* find(std::string_view key);
    /// Replaces the value and drops the expiry.
    key_entry& put(std::string_view key, key_entry entry);
    bool erase(std::string_view key);
    void clear() noexcept { keys_.clear(); }

    /// All of them, also those that have expired and were not used since.
    [[nodiscard]] const map& all() const noexcept { return keys_; }
    void restore(const map& keys) { keys_ = keys; }

private:
    map keys_;
    std::int64_t now_ms_ = 0;
};

} // namespace holdfast::sim
