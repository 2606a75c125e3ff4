#pragma once
// Writes and reads the fields of a record: fixed sizes, little-endian.

#include "holdfast/engine/embedded/codec.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

namespace holdfast::engine::embedded {

/// How an enumerator is stored whose place in its enum may change.
template <typename Value>
struct stored_value {
    Value value;
    std::uint8_t number;
};
template <typename Value>
stored_value(Value, int) -> stored_value<Value>; // clang 14 does not deduce it

/// Replaces the contents of a buffer, which is complete when the writer is destroyed.
class field_writer {
public:
    explicit field_writer(buffer& out) : out_{out} { out_.resize(usual_size); }
    field_writer(const field_writer&) = delete;
    field_writer& operator=(const field_writer&) = delete;
    ~field_writer() { out_.resize(used_); } // never more: cannot throw

    template <std::size_t Size>
    void number(std::uint64_t value) {
        static_assert(std::endian::native == std::endian::little);
        std::memcpy(room(Size), &value, Size);
    }
    void u8(std::uint8_t value) { number<1>(value); }
    void u16(std::uint16_t value) { number<2>(value); }
    void u32(std::uint32_t value) { number<4>(value); }
    void u64(std::uint64_t value) { number<8>(value); }
    void i64(std::int64_t value) { u64(static_cast<std::uint64_t>(value)); }
    void instant(base::instant value) { i64(value.time_since_epoch().count()); }
    void duration(base::milliseconds value) { i64(value.count()); }
    template <typename Value, std::size_t Count>
    void stored(Value value, const std::array<stored_value<Value>, Count>& values) {
        for (const auto& each : values) {
            if (each.value == value) { return u8(each.number); }
        }
        assert(false);
    }
    void raw(bytes value) {
        if (!value.empty()) { std::memcpy(room(value.size()), value.data(), value.size()); }
    }
    /// Truncates what does not fit the length field: host names and notes are only shown.
    void text(const std::string& value) {
        constexpr std::size_t most = std::numeric_limits<std::uint16_t>::max();
        const auto size = std::min(value.size(), most);
        u16(static_cast<std::uint16_t>(size));
        raw(std::as_bytes(std::span{value}.first(size)));
    }

private:
    [[nodiscard]] std::byte* room(std::size_t size) {
        if (size > out_.size() - used_) { out_.resize(2 * (used_ + size)); }
        return out_.data() + std::exchange(used_, used_ + size);
    }

    static constexpr std::size_t usual_size = 256;

    buffer& out_;
    std::size_t used_ = 0;
};

/// After the first short read all values are zero and `ok` is false.
class field_reader {
public:
    explicit field_reader(bytes from) noexcept : rest_{from} {}

    template <std::size_t Size>
    [[nodiscard]] std::uint64_t number() noexcept {
        const bytes raw = take(Size);
        static_assert(std::endian::native == std::endian::little);
        std::uint64_t value = 0;
        if (!raw.empty()) { std::memcpy(&value, raw.data(), Size); }
        return value;
    }
    [[nodiscard]] std::uint8_t u8() noexcept { return static_cast<std::uint8_t>(number<1>()); }
    [[nodiscard]] std::uint16_t u16() noexcept { return static_cast<std::uint16_t>(number<2>()); }
    [[nodiscard]] std::uint32_t u32() noexcept { return static_cast<std::uint32_t>(number<4>()); }
    [[nodiscard]] std::uint64_t u64() noexcept { return number<8>(); }
    [[nodiscard]] std::int64_t i64() noexcept { return static_cast<std::int64_t>(number<8>()); }
    [[nodiscard]] base::instant instant() noexcept { return base::instant{base::duration{i64()}}; }
    [[nodiscard]] base::milliseconds duration() noexcept { return base::milliseconds{i64()}; }
    [[nodiscard]] std::string text() {
        const bytes raw = take(u16());
        std::string out(raw.size(), '\0');
        if (!raw.empty()) { std::memcpy(out.data(), raw.data(), raw.size()); }
        return out;
    }
    [[nodiscard]] base::owner_id owner() noexcept {
        return decode_owner(take(std::tuple_size_v<owner_key>)).value_or(base::owner_id{});
    }
    /// The value that is stored as this number.
    template <typename Value, std::size_t Count>
    [[nodiscard]] Value stored(const std::array<stored_value<Value>, Count>& values) noexcept {
        const auto number = u8();
        for (const auto& each : values) {
            if (each.number == number) { return each.value; }
        }
        ok_ = false;
        return values.front().value;
    }
    /// An enumerator below `count`.
    template <typename Enum>
    [[nodiscard]] Enum enumerator(unsigned count) noexcept {
        const auto value = u8();
        if (value >= count) { ok_ = false; }
        return ok_ ? static_cast<Enum>(value) : Enum{};
    }
    [[nodiscard]] bool flag() noexcept {
        const auto value = u8();
        if (value > 1) { ok_ = false; }
        return value == 1;
    }
    [[nodiscard]] bool ok() const noexcept { return ok_; }
    [[nodiscard]] bool at_end() const noexcept { return ok_ && rest_.empty(); }
    [[nodiscard]] std::size_t left() const noexcept { return rest_.size(); }

private:
    [[nodiscard]] bytes take(std::size_t size) noexcept {
        if (!ok_ || size > rest_.size()) {
            ok_ = false;
            return {};
        }
        const bytes taken = rest_.first(size);
        rest_ = rest_.subspan(size);
        return taken;
    }

    bytes rest_;
    bool ok_ = true;
};

} // namespace holdfast::engine::embedded
