#pragma once
// Replies as Lua values, and Lua values as replies.

#include "sim/node/reply_sink.hpp"

#include <array>
#include <cstddef>

struct lua_State;

namespace holdfast::sim {

/// Pushes a command's reply on the stack, in the form in which scripts get it.
class lua_pusher final : public reply_sink {
public:
    explicit lua_pusher(lua_State* state) noexcept : state_{state} {}

    void integer(std::int64_t value) override;
    void bulk(std::string_view text) override;
    void status(std::string_view text) override;
    void error(std::string_view text) override;
    void null() override;
    void array(std::size_t count) override;

    [[nodiscard]] bool failed() const noexcept { return failed_; }

private:
    struct open_array {
        std::size_t count = 0;
        int filled = 0;
    };

    void table_with(const char* field, std::string_view text);
    void store(); ///< what was pushed last, in the array that is open

    lua_State* state_;
    std::array<open_array, 8> arrays_{};
    std::size_t depth_ = 0;
    bool failed_ = false;
};

/// Writes the value on top of the stack as a script's reply, and pops it.
void write_result(lua_State* state, reply_sink& out);

} // namespace holdfast::sim
