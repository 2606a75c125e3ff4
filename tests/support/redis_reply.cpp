#include "support/redis_reply.hpp"

#include <algorithm>
#include <charconv>
#include <ostream>
#include <stdexcept>

namespace holdfast::test {

namespace {

[[noreturn]] void refuse(std::string_view problem) {
    throw std::runtime_error{"not a Redis reply: " + std::string{problem}};
}

template <class Kind>
const Kind& expect(const redis_reply& reply, const char* kind) {
    if (const auto* const found = std::get_if<Kind>(&reply.value)) { return *found; }
    throw std::runtime_error{"expected " + std::string{kind} + ", got: " + reply.text()};
}

std::int64_t to_number(std::string_view text) {
    std::int64_t out = 0;
    const auto* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, out);
    if (parsed.ec != std::errc{} || parsed.ptr != end) { refuse(text); }
    return out;
}

/// Removes a line, without its end; empty if it is incomplete.
std::optional<std::string_view> take_line(std::string_view& bytes) {
    const auto end = bytes.find("\r\n");
    if (end == std::string_view::npos) { return std::nullopt; }
    const auto line = bytes.substr(0, end);
    bytes.remove_prefix(end + 2);
    return line;
}

std::optional<redis_reply> take_string(std::string_view& bytes, std::int64_t size) {
    constexpr std::int64_t largest = 512 << 20; // the protocol's own limit
    if (size < -1 || size > largest) { refuse("a string of " + std::to_string(size) + " bytes"); }
    if (size == -1) { return redis_reply{}; }
    const auto length = static_cast<std::size_t>(size);
    if (bytes.size() < length + 2) { return std::nullopt; }
    if (bytes.substr(length, 2) != "\r\n") { refuse("a string without an end"); }
    redis_reply out{std::string{bytes.substr(0, length)}};
    bytes.remove_prefix(length + 2);
    return out;
}

std::optional<redis_reply> take_list(std::string_view& bytes, std::int64_t size) {
    constexpr std::int64_t largest = 1 << 20;
    if (size < -1 || size > largest) { refuse("a list of " + std::to_string(size) + " items"); }
    if (size == -1) { return redis_reply{}; }
    redis_reply::list items;
    while (static_cast<std::int64_t>(items.size()) < size) {
        auto item = redis_reply::take(bytes);
        if (!item) { return std::nullopt; }
        items.push_back(*std::move(item));
    }
    return redis_reply{std::move(items)};
}

/// Without the prefix of three letters and a colon, which is the kind of text.
std::optional<redis_reply> take_verbatim(std::string_view& bytes, std::int64_t size) {
    constexpr std::size_t mark = 4;
    auto out = take_string(bytes, size);
    if (out) { out->value = out->string().substr(std::min(mark, out->string().size())); }
    return out;
}

std::optional<redis_reply> take_any(std::string_view& bytes) {
    const auto line = take_line(bytes);
    if (!line) { return std::nullopt; }
    if (line->empty()) { refuse("an empty line"); }
    const auto rest = line->substr(1);
    switch (line->front()) {
    case '+': return redis_reply{std::string{rest}};
    case '-': return redis_reply{redis_reply::error{std::string{rest}}};
    case ':': return redis_reply{to_number(rest)};
    case '$': return take_string(bytes, to_number(rest));
    case '*':
    case '>': return take_list(bytes, to_number(rest));
    case '%': return take_list(bytes, 2 * to_number(rest));
    case '=': return take_verbatim(bytes, to_number(rest));
    case '_': return redis_reply{};
    default: refuse(*line);
    }
}

} // namespace

std::optional<redis_reply> redis_reply::take(std::string_view& bytes) {
    auto rest = bytes;
    auto out = take_any(rest);
    if (out) { bytes = rest; }
    return out;
}

std::int64_t redis_reply::number() const { return expect<std::int64_t>(*this, "a number"); }
const std::string& redis_reply::string() const { return expect<std::string>(*this, "a string"); }
const redis_reply::list& redis_reply::items() const { return expect<list>(*this, "a list"); }

std::string redis_reply::text() const {
    struct writer {
        std::string operator()(const nil&) const { return "nil"; }
        std::string operator()(const error& wrong) const { return "error: " + wrong.text; }
        std::string operator()(std::int64_t number) const { return std::to_string(number); }
        std::string operator()(const std::string& plain) const { return plain; }
        std::string operator()(const list& items) const {
            std::string out;
            for (const auto& item : items) { out += (out.empty() ? "" : ", ") + item.text(); }
            return "[" + out + "]";
        }
    };
    return std::visit(writer{}, value);
}

void PrintTo(const redis_reply& reply, std::ostream* out) { *out << reply.text(); }

} // namespace holdfast::test
