#pragma once
// Commands in RESP, appended to an output buffer.

#include "holdfast/engine/redis/scripts.hpp"

#include <initializer_list>
#include <string>
#include <string_view>

namespace holdfast::engine::redis {

void append_bulk(std::string& out, std::string_view word);
void append_count(std::string& out, std::size_t words); ///< that many bulks must follow
void append_command(std::string& out, std::initializer_list<std::string_view> words);

/// `EVALSHA sha keys` of a command with this many keys and arguments, which must follow as bulks.
void append_call(std::string& out, const script& script, std::size_t keys, std::size_t arguments);

} // namespace holdfast::engine::redis
