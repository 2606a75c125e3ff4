#include "history/line.hpp"

#include "history/fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <cstring>

namespace holdfast::history {
namespace {

constexpr std::string_view plain_bytes =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._:/";

constexpr auto plain = [] {
    std::array<bool, 256> table{};
    for (char c : plain_bytes) { table[static_cast<unsigned char>(c)] = true; }
    return table;
}();

/// Hands out the encoded bytes in pieces: whole runs of plain ones, and the others one by one.
template <class Put>
void encode(std::string_view bytes, Put put) {
    constexpr std::string_view hex = "0123456789ABCDEF";
    const auto is_plain = [](char c) { return plain[static_cast<unsigned char>(c)]; };
    while (!bytes.empty()) {
        const auto run = static_cast<std::size_t>(
            std::find_if_not(bytes.begin(), bytes.end(), is_plain) - bytes.begin());
        put(bytes.substr(0, run));
        bytes.remove_prefix(run);
        if (bytes.empty()) { return; }
        const auto byte = static_cast<unsigned char>(bytes.front());
        const std::array<char, 3> escaped{'%', hex[byte / 16], hex[byte % 16]};
        put(std::string_view{escaped.data(), escaped.size()});
        bytes.remove_prefix(1);
    }
}

/// Writes into a fixed buffer and remembers whether anything did not fit: no allocation, because
/// the recorder runs inside measured code.
class line_writer {
public:
    explicit line_writer(std::span<char> out) noexcept : out_{out} {}

    void put(std::string_view text) noexcept {
        if (used_ + text.size() <= out_.size()) {
            std::memcpy(out_.data() + used_, text.data(), text.size());
        }
        used_ += text.size();
    }
    template <class Value>
    void pair(std::string_view key, const Value& value) noexcept {
        put(" ");
        put(key);
        put("=");
        this->value(value);
    }
    [[nodiscard]] std::size_t length() const noexcept { return used_ <= out_.size() ? used_ : 0; }

private:
    template <std::integral Number>
    void number(Number value) noexcept {
        std::array<char, 24> digits{};
        auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
        put(std::string_view{digits.data(), end});
    }
    void value(int v) noexcept { number(v); }
    void value(unsigned v) noexcept { number(v); }
    void value(std::uint64_t v) noexcept { number(v); }
    void value(bool v) noexcept { put(v ? std::string_view{"yes"} : "no"); }
    void value(std::chrono::nanoseconds v) noexcept { number(v.count()); }
    void value(mode v) noexcept {
        constexpr std::array<std::string_view, 3> words{"exclusive", "shared", "permits"};
        put(words[static_cast<std::size_t>(v)]);
    }
    void value(reason v) noexcept {
        constexpr std::array<std::string_view, 3> words{"timeout", "cancelled", "failed"};
        put(words[static_cast<std::size_t>(v)]);
    }
    void value(const std::optional<std::int64_t>& v) noexcept {
        if (v) { number(*v); }
    }
    void value(const std::string& v) noexcept {
        encode(v, [this](std::string_view piece) { put(piece); });
    }

    std::span<char> out_;
    std::size_t used_{0};
};

template <class Owner, class Fields>
void put_fields(line_writer& out, const Owner& owner, const Fields& fields) noexcept {
    std::apply([&](const auto&... f) { (out.pair(f.key, owner.*f.member), ...); }, fields);
}

} // namespace

std::size_t to_line(const event& e, std::span<char> out) noexcept {
    line_writer line{out};
    line.put("@");
    std::visit(
        [&]<class EventType>(const EventType& kind) {
            line.put(EventType::word);
            put_fields(line, e, header_fields);
            put_fields(line, kind, fields_of<EventType>);
        },
        e.type);
    line.put("\n");
    return line.length();
}

std::string to_line(const event& e) {
    std::string text(max_line, '\0');
    text.resize(to_line(e, std::span<char>{text}));
    return text;
}

std::string encoded(std::string_view bytes) {
    std::string text;
    encode(bytes, [&](std::string_view piece) { text += piece; });
    return text;
}

} // namespace holdfast::history
