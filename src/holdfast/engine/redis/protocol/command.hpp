#pragma once
// Commands as a server reads them, appended to what is to be sent.

#include "holdfast/engine/redis/scripts.hpp"

#include <initializer_list>
#include <string>
#include <string_view>

namespace holdfast::engine::redis {

void append_bulk(std::string& out, std::string_view word);
void append_count(std::string& out, std::size_t words); ///< then that many bulks follow
void append_command(std::string& out, std::initializer_list<std::string_view> words);

/// `EVALSHA sha keys` of a command with so many keys and arguments; they follow as bulks.
void append_call(std::string& out, const script& script, std::size_t keys, std::size_t arguments);

} // namespace holdfast::engine::redis
