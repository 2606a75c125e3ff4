#pragma once
// The commands that scripts use, on the keys of a simulated server.

#include "sim/node/key_space.hpp"
#include "sim/node/reply_sink.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace holdfast::sim {

using word_list = std::span<const std::string_view>;

/// What commands need of their server beside its keys.
class command_host {
public:
    command_host() = default;
    command_host(const command_host&) = delete;
    command_host& operator=(const command_host&) = delete;

    [[nodiscard]] virtual key_space& keys() noexcept = 0;
    [[nodiscard]] virtual std::int64_t clock_us() const noexcept = 0;
    /// Returns how many subscribers there are.
    virtual std::size_t publish(std::string_view channel, std::string_view payload) = 0;
    /// The text of INFO.
    [[nodiscard]] virtual std::string info() const = 0;

protected:
    ~command_host() = default;
};

/// Runs one command. False: it is not one of those that the simulation knows, which is a mistake in
/// the simulation; nothing was written to `out` then.
[[nodiscard]] bool run_command(command_host& host, word_list words, reply_sink& out);

using command_function = void (*)(command_host&, word_list, reply_sink&);
struct command_entry {
    std::string_view name;
    std::size_t least_words;
    command_function function;
};
[[nodiscard]] std::span<const command_entry> string_commands();
[[nodiscard]] std::span<const command_entry> hash_commands();
[[nodiscard]] std::span<const command_entry> zset_commands();

// For the commands.
inline constexpr std::string_view wrong_type =
    "WRONGTYPE Operation against a key holding the wrong kind of value";
inline constexpr std::string_view not_an_integer = "ERR value is not an integer or out of range";
inline constexpr std::string_view syntax_error = "ERR syntax error";

[[nodiscard]] std::optional<std::int64_t> to_integer(std::string_view text);
/// Also -inf and inf.
[[nodiscard]] std::optional<double> to_score(std::string_view text);
/// As Redis writes a score.
[[nodiscard]] std::string score_text(double score);
[[nodiscard]] bool is_option(std::string_view word, std::string_view option);

/// The value of this type; null: there is no such key, or it is of another type, and `out` has the
/// error then.
template <typename Value>
struct found_value {
    Value* value = nullptr;
    bool failed = false;
};
template <typename Value>
[[nodiscard]] found_value<Value> find_value(key_space& keys, std::string_view key,
                                            reply_sink& out) {
    key_entry* const entry = keys.find(key);
    if (entry == nullptr) { return {}; }
    auto* const value = std::get_if<Value>(&entry->value);
    if (value == nullptr) {
        out.error(wrong_type);
        return {nullptr, true};
    }
    return {value, false};
}
/// The same; an absent key is created.
template <typename Value>
[[nodiscard]] Value* need_value(key_space& keys, std::string_view key, reply_sink& out) {
    const auto found = find_value<Value>(keys, key, out);
    if (found.failed || found.value != nullptr) { return found.value; }
    return &std::get<Value>(keys.put(key, {Value{}}).value);
}

} // namespace holdfast::sim
