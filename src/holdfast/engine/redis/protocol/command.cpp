#include "holdfast/engine/redis/protocol/command.hpp"

#include <array>
#include <charconv>

namespace holdfast::engine::redis {

namespace {

void append_number(std::string& out, char mark, std::size_t value) {
    const auto digit = [](std::size_t number) { return static_cast<char>('0' + number); };
    if (value < 10) {
        const std::array text{mark, digit(value), '\r', '\n'};
        out.append(text.data(), text.size());
        return;
    }
    if (value < 100) {
        const std::array text{mark, digit(value / 10), digit(value % 10), '\r', '\n'};
        out.append(text.data(), text.size());
        return;
    }
    std::array<char, 24> text; // NOLINT(cppcoreguidelines-pro-type-member-init): written below
    text[0] = mark;
    auto* const end = std::to_chars(text.data() + 1, text.data() + text.size() - 2, value).ptr;
    end[0] = '\r';
    end[1] = '\n';
    out.append(text.data(), static_cast<std::size_t>(end - text.data()) + 2);
}

} // namespace

void append_bulk(std::string& out, std::string_view word) {
    append_number(out, '$', word.size());
    out.append(word);
    out.append("\r\n", 2);
}

void append_count(std::string& out, std::size_t words) { append_number(out, '*', words); }

void append_command(std::string& out, std::initializer_list<std::string_view> words) {
    append_count(out, words.size());
    for (const auto word : words) { append_bulk(out, word); }
}

void append_call(std::string& out, const script& script, std::size_t keys, std::size_t arguments) {
    append_count(out, 3 + keys + arguments);
    out.append("$7\r\nEVALSHA\r\n$40\r\n");
    out.append(script.sha);
    out.append("\r\n", 2);
    append_bulk(out, std::to_string(keys));
}

} // namespace holdfast::engine::redis
