#include "sim/node/lua_values.hpp"

#include <string>

extern "C" {
#include <lauxlib.h>
#include <lua.h>
}

namespace holdfast::sim {

void lua_pusher::integer(std::int64_t value) {
    lua_pushnumber(state_, static_cast<lua_Number>(value));
    store();
}

void lua_pusher::bulk(std::string_view text) {
    lua_pushlstring(state_, text.data(), text.size());
    store();
}

void lua_pusher::status(std::string_view text) {
    table_with("ok", text);
    store();
}

void lua_pusher::error(std::string_view text) {
    failed_ = true;
    table_with("err", text);
    store();
}

void lua_pusher::null() {
    lua_pushboolean(state_, 0);
    store();
}

void lua_pusher::array(std::size_t count) {
    lua_createtable(state_, static_cast<int>(count), 0);
    if (count == 0) { return store(); }
    arrays_.at(depth_++) = {count, 0};
}

void lua_pusher::table_with(const char* field, std::string_view text) {
    lua_createtable(state_, 0, 1);
    lua_pushlstring(state_, text.data(), text.size());
    lua_setfield(state_, -2, field);
}

void lua_pusher::store() {
    while (depth_ > 0) {
        auto& open = arrays_.at(depth_ - 1);
        lua_rawseti(state_, -2, ++open.filled);
        if (static_cast<std::size_t>(open.filled) < open.count) { return; }
        --depth_; // it is complete, and itself an item of the array around it
    }
}

namespace {

std::string_view text_at(lua_State* state, int index) {
    std::size_t length = 0;
    const char* const text = lua_tolstring(state, index, &length);
    return {text, length};
}

/// Writes the field of the table on top if it has it as a text.
template <typename Write>
bool write_field(lua_State* state, const char* field, Write write) {
    lua_pushstring(state, field);
    lua_rawget(state, -2);
    const bool has = lua_type(state, -1) == LUA_TSTRING;
    if (has) { write(text_at(state, -1)); }
    lua_pop(state, 1);
    return has;
}

void write_table(lua_State* state, reply_sink& out) {
    luaL_checkstack(state, 4, "a reply is nested too deeply");
    if (write_field(state, "err", [&](std::string_view text) { out.error(text); })) { return; }
    if (write_field(state, "ok", [&](std::string_view text) { out.status(text); })) { return; }
    int count = 0;
    while (true) { // up to the first nil
        lua_rawgeti(state, -1, count + 1);
        const bool ends = lua_isnil(state, -1);
        lua_pop(state, 1);
        if (ends) { break; }
        ++count;
    }
    out.array(static_cast<std::size_t>(count));
    for (int at = 1; at <= count; ++at) {
        lua_rawgeti(state, -1, at);
        write_result(state, out);
    }
}

} // namespace

void write_result(lua_State* state, reply_sink& out) {
    switch (lua_type(state, -1)) {
    case LUA_TNUMBER: out.integer(static_cast<std::int64_t>(lua_tonumber(state, -1))); break;
    case LUA_TSTRING: out.bulk(text_at(state, -1)); break;
    case LUA_TBOOLEAN:
        if (lua_toboolean(state, -1) != 0) {
            out.integer(1);
        } else {
            out.null();
        }
        break;
    case LUA_TTABLE: write_table(state, out); break;
    default: out.null(); break;
    }
    lua_pop(state, 1);
}

} // namespace holdfast::sim
