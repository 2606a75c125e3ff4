#include "history/parser.hpp"

#include "history/fields.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace holdfast::history {
namespace {

/// Why a line cannot be read; becomes a parse_error with the line's number.
struct unreadable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

template <std::integral Number>
void read(std::string_view text, Number& out) {
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (problem != std::errc{} || end != text.data() + text.size()) {
        throw unreadable{"'" + std::string{text} + "' is not a number that fits"};
    }
}

void read(std::string_view text, bool& out) {
    if (text != "yes" && text != "no") { throw unreadable{"expected yes or no"}; }
    out = text == "yes";
}

void read(std::string_view text, std::chrono::nanoseconds& out) {
    std::chrono::nanoseconds::rep count{};
    read(text, count);
    if (count < 0) {
        throw unreadable{"'" + std::string{text} + "' is before the host was booted"};
    }
    out = std::chrono::nanoseconds{count};
}

void read(std::string_view text, std::optional<std::int64_t>& out) {
    out.reset();
    if (!text.empty()) { read(text, out.emplace()); }
}

void read(std::string_view text, mode& out) {
    if (text == "exclusive") {
        out = mode::exclusive;
    } else if (text == "shared") {
        out = mode::shared;
    } else if (text == "permits") {
        out = mode::permits;
    } else {
        throw unreadable{"unknown mode '" + std::string{text} + "'"};
    }
}

void read(std::string_view text, reason& out) {
    if (text == "timeout") {
        out = reason::timeout;
    } else if (text == "cancelled") {
        out = reason::cancelled;
    } else if (text == "failed") {
        out = reason::failed;
    } else {
        throw unreadable{"unknown reason '" + std::string{text} + "'"};
    }
}

void read(std::string_view text, std::string& out) {
    out.clear();
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        unsigned byte{};
        const auto digits = text.substr(i + 1, 2);
        const auto* last = digits.data() + digits.size();
        const auto [end, problem] = std::from_chars(digits.data(), last, byte, 16);
        if (problem != std::errc{} || end != last || digits.size() != 2) {
            throw unreadable{"a % without two hexadecimal digits"};
        }
        out += static_cast<char>(byte);
        i += 2;
    }
}

std::string_view next_word(std::string_view& rest) {
    const auto length = std::min(rest.find(' '), rest.size());
    const auto word = rest.substr(0, length);
    rest.remove_prefix(std::min(length + 1, rest.size()));
    return word;
}

template <class Owner, class Fields>
void read_fields(std::string_view& rest, Owner& owner, const Fields& fields) {
    const auto read_one = [&](const auto& f) {
        const auto word = next_word(rest);
        if (!word.starts_with(f.key) || word.substr(f.key.size()).substr(0, 1) != "=") {
            throw unreadable{"expected " + std::string{f.key} + "=, found '" + std::string{word} +
                             "'"};
        }
        read(word.substr(f.key.size() + 1), owner.*f.member);
    };
    std::apply([&](const auto&... f) { (read_one(f), ...); }, fields);
}

template <class EventType>
bool read_as(std::string_view word, std::string_view rest, event& e) {
    if (word != EventType::word) { return false; }
    read_fields(rest, e, header_fields);
    read_fields(rest, e.type.emplace<EventType>(), fields_of<EventType>);
    if (!rest.empty()) { throw unreadable{"more than a line of this kind holds"}; }
    return true;
}

template <class... EventTypes>
bool read_as_any(std::string_view word, std::string_view rest, event& e,
                 const std::variant<EventTypes...>& /*kinds*/) {
    return (read_as<EventTypes>(word, rest, e) || ...);
}

event read_line(std::string_view line, std::size_t number) {
    auto rest = line.substr(1);
    const auto word = next_word(rest);
    event e{.line = number};
    if (!read_as_any(word, rest, e, event_type{})) {
        throw unreadable{"unknown event '" + std::string{word} + "'"};
    }
    return e;
}

} // namespace

parsed parse(std::istream& in) {
    parsed result;
    std::string text;
    for (std::size_t number = 1; std::getline(in, text); ++number) {
        std::string_view line{text};
        const bool whole = !in.eof(); // getline met the newline, not the end
        if (!line.starts_with('@')) {
            result.errors.push_back({number, "a line begins with @ and the kind of event"});
            continue;
        }
        const auto last_start = line.rfind('@');
        result.torn += static_cast<std::size_t>(std::ranges::count(line, '@')) - (whole ? 1U : 0U);
        if (!whole) { break; }
        try {
            result.events.push_back(read_line(line.substr(last_start), number));
        } catch (const unreadable& problem) { result.errors.push_back({number, problem.what()}); }
    }
    return result;
}

parsed parse_file(const std::filesystem::path& file) {
    std::ifstream in{file, std::ios::binary};
    if (!in) { throw std::system_error{errno, std::generic_category(), file.string()}; }
    auto result = parse(in);
    if (in.bad()) { throw std::system_error{EIO, std::generic_category(), file.string()}; }
    return result;
}

} // namespace holdfast::history
