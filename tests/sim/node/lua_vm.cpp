#include "sim/node/lua_vm.hpp"

#include "sim/node/lua_values.hpp"

#include <array>
#include <cstdio>
#include <stdexcept>

extern "C" {
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
}

namespace holdfast::sim {

namespace {

/// Address of this: the key of the machine in Lua's registry.
constexpr char self_key = 0;

void push_list(lua_State* state, word_list items, const char* name) {
    lua_createtable(state, static_cast<int>(items.size()), 0);
    int at = 0;
    for (const auto item : items) {
        lua_pushlstring(state, item.data(), item.size());
        lua_rawseti(state, -2, ++at);
    }
    lua_setglobal(state, name);
}

void write_failure(lua_State* state, reply_sink& out) {
    if (lua_istable(state, -1)) {
        lua_getfield(state, -1, "err");
        const char* const text = lua_tostring(state, -1);
        out.error(text == nullptr ? "ERR an error without a text" : text);
        lua_pop(state, 2);
        return;
    }
    const char* const text = lua_tostring(state, -1);
    out.error(std::string{"ERR "} + (text == nullptr ? "unknown error" : text));
    lua_pop(state, 1);
}

} // namespace

void lua_vm::close_state::operator()(lua_State* state) const noexcept { lua_close(state); }

lua_vm::lua_vm() : state_{luaL_newstate()} {
    lua_State* const state = state_.get();
    luaL_openlibs(state);
    lua_pushlightuserdata(state, const_cast<char*>(&self_key)); // NOLINT: Lua's interface
    lua_pushlightuserdata(state, this);
    lua_rawset(state, LUA_REGISTRYINDEX);
    lua_createtable(state, 0, 3);
    lua_pushcfunction(state, on_call);
    lua_setfield(state, -2, "call");
    lua_pushcfunction(state, on_pcall);
    lua_setfield(state, -2, "pcall");
    lua_pushcfunction(state, on_acl_check);
    lua_setfield(state, -2, "acl_check_cmd");
    lua_setglobal(state, "redis");
}

lua_vm& lua_vm::self(lua_State* state) {
    lua_pushlightuserdata(state, const_cast<char*>(&self_key)); // NOLINT: Lua's interface
    lua_rawget(state, LUA_REGISTRYINDEX);
    auto* const found = static_cast<lua_vm*>(lua_touserdata(state, -1));
    lua_pop(state, 1);
    return *found;
}

lua_vm::handle lua_vm::load(std::string_view text) {
    std::string key{text};
    if (const auto found = scripts_.find(key); found != scripts_.end()) { return found->second; }
    lua_State* const state = state_.get();
    auto body = text;
    if (body.starts_with("#!")) { body.remove_prefix(body.find('\n')); }
    if (luaL_loadbuffer(state, body.data(), body.size(), "@user_script") != 0) {
        const std::string failure{lua_tostring(state, -1)};
        lua_pop(state, 1);
        throw std::runtime_error{"a script is not Lua: " + failure};
    }
    const handle made = luaL_ref(state, LUA_REGISTRYINDEX);
    scripts_.emplace(std::move(key), made);
    return made;
}

void lua_vm::call(handle script, word_list keys, word_list arguments, command_host& host,
                  reply_sink& out) {
    lua_State* const state = state_.get();
    host_ = &host;
    push_list(state, keys, "KEYS");
    push_list(state, arguments, "ARGV");
    lua_rawgeti(state, LUA_REGISTRYINDEX, script);
    if (lua_pcall(state, 0, 1, 0) == 0) {
        write_result(state, out);
    } else {
        write_failure(state, out);
    }
    host_ = nullptr;
}

/// Lua raises an error by a jump over this code, so nothing here may need a destructor by then.
bool lua_vm::run_command_of_script() {
    constexpr int most_arguments = 64;
    lua_State* const state = state_.get();
    const int count = lua_gettop(state);
    std::array<std::string_view, most_arguments> arguments;
    std::array<std::array<char, 32>, 8> numbers;
    std::size_t used = 0;
    lua_pusher out{state};
    if (count == 0 || count > most_arguments) {
        out.error("ERR wrong number of arguments of redis.call");
        return false;
    }
    for (int at = 1; at <= count; ++at) {
        auto& argument = arguments[static_cast<std::size_t>(at) - 1];
        std::size_t length = 0;
        if (lua_type(state, at) == LUA_TNUMBER && used < numbers.size()) {
            auto& buffer = numbers[used++];
            const int size =
                std::snprintf(buffer.data(), buffer.size(), "%.17g", lua_tonumber(state, at));
            argument = {buffer.data(), static_cast<std::size_t>(size)};
        } else if (const char* const text = lua_tolstring(state, at, &length)) {
            argument = {text, length};
        } else {
            out.error("ERR Lua redis lib command arguments must be strings or integers");
            return false;
        }
    }
    const word_list given{arguments.data(), static_cast<std::size_t>(count)};
    if (!run_command(*host_, given, out)) {
        if (fault_.empty()) { fault_ = "a script uses " + std::string{given.front()}; }
        out.error("ERR the simulation does not know this command");
    }
    return !out.failed();
}

int lua_vm::on_call(lua_State* state) {
    if (!self(state).run_command_of_script()) { return lua_error(state); }
    return 1;
}

int lua_vm::on_pcall(lua_State* state) {
    static_cast<void>(self(state).run_command_of_script());
    return 1;
}

int lua_vm::on_acl_check(lua_State* state) {
    lua_pushboolean(state, 1);
    return 1;
}

} // namespace holdfast::sim
