#pragma once
// Runs scripts as Redis 7 does, on the Lua 5.1 of the system.

#include "sim/node/commands.hpp"
#include "sim/node/reply_sink.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

struct lua_State;

namespace holdfast::sim {

/// One machine for all simulated servers: a script keeps nothing from one call to the next. It has
/// KEYS, ARGV, redis.call, redis.pcall and redis.acl_check_cmd, which allows everything.
///
/// Thread safety: none.
class lua_vm {
public:
    using handle = int;

    lua_vm();
    lua_vm(const lua_vm&) = delete;
    lua_vm& operator=(const lua_vm&) = delete;
    ~lua_vm() = default;

    /// Compiles a script, once for each text. Throws std::runtime_error if it is not Lua.
    [[nodiscard]] handle load(std::string_view text);
    /// Its result, or its error, goes to `out`.
    void call(handle script, word_list keys, word_list arguments, command_host& host,
              reply_sink& out);

    /// The first mistake of the simulation itself, e.g. a command that it does not know.
    [[nodiscard]] const std::string& fault() const noexcept { return fault_; }

private:
    struct close_state {
        void operator()(lua_State* state) const noexcept;
    };
    static int on_call(lua_State* state);
    static int on_pcall(lua_State* state);
    static int on_acl_check(lua_State* state);
    [[nodiscard]] static lua_vm& self(lua_State* state);
    /// Leaves its reply on the stack; false: that is an error.
    [[nodiscard]] bool run_command_of_script();

    std::unique_ptr<lua_State, close_state> state_;
    std::unordered_map<std::string, handle> scripts_; ///< by their text
    command_host* host_ = nullptr;                    ///< of the script that runs
    std::string fault_;
};

} // namespace holdfast::sim
