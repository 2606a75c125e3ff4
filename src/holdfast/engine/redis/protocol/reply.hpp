#pragma once
// What a server says, read with hiredis.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct redisReader;
struct redisReply;

namespace holdfast::engine::redis {

/// One reply, valid as long as its reader's or its owner's memory; looked at, never changed.
class reply {
public:
    explicit reply(const redisReply& raw, bool push = false) noexcept : raw_{&raw}, push_{push} {}

    /// It answers nothing: the server sent it by itself.
    [[nodiscard]] bool is_push() const noexcept { return push_; }

    [[nodiscard]] bool is_error() const noexcept;
    [[nodiscard]] bool is_integer() const noexcept;
    [[nodiscard]] bool is_array() const noexcept;
    [[nodiscard]] bool is_text() const noexcept; ///< a bulk string or a status
    [[nodiscard]] bool is_null() const noexcept; ///< also is_text()

    [[nodiscard]] std::int64_t integer() const noexcept;  ///< 0 unless is_integer()
    [[nodiscard]] std::string_view text() const noexcept; ///< also an error's
    [[nodiscard]] std::size_t size() const noexcept;      ///< 0 unless is_array()
    /// REQUIRES: at < size().
    [[nodiscard]] reply operator[](std::size_t at) const noexcept;
    /// The integer at `at`, also one that came as text; 0 if there is none.
    [[nodiscard]] std::int64_t number(std::size_t at) const noexcept;
    [[nodiscard]] std::string_view word(std::size_t at) const noexcept; ///< likewise, empty

private:
    const redisReply* raw_;
    bool push_;
};

/// Takes bytes, gives replies. What is kept is bounded: a reply of more than `most_bytes` is a
/// fault. Of RESP3 it knows what our commands are answered with, also where hiredis itself does
/// not: pushes, verbatim text (taken for text, with its `txt:`), and null (for an empty text).
class reply_reader {
public:
    reply_reader();
    reply_reader(const reply_reader&) = delete;
    reply_reader& operator=(const reply_reader&) = delete;
    ~reply_reader();

    /// Calls `see` for each reply that these bytes complete; false if they are not Redis's
    /// protocol, after which nothing more can be read.
    template <typename See>
    [[nodiscard]] bool read(std::span<const char> bytes, See see) {
        // Most answers are numbers or null: these need not go through hiredis's buffer, and take
        // no memory.
        while (const redisReply* const got = take_short(bytes)) { see(reply{*got}); }
        feed(bytes);
        while (true) {
            const owned got = next();
            if (broken_) { return false; }
            if (!got) { return true; }
            see(reply{*got, push_});
        }
    }
    [[nodiscard]] const std::string& fault() const noexcept { return fault_; }

    static constexpr std::size_t most_bytes = std::size_t{64} << 20U;

private:
    struct free_reply {
        void operator()(redisReply* raw) const noexcept;
    };
    using owned = std::unique_ptr<redisReply, free_reply>;
    void feed(std::span<const char> bytes);
    [[nodiscard]] owned next();
    /// A whole number or a null at the beginning of `bytes` is cut off; null: there is none.
    [[nodiscard]] const redisReply* take_short(std::span<const char>& bytes) noexcept;
    void look_at_beginning() noexcept;

    redisReader* reader_;
    owned number_; ///< for `take_short`
    owned null_;
    std::size_t unread_ = 0; ///< bytes since the last complete reply
    std::string fault_;
    bool broken_ = false;
    bool push_ = false; ///< what is being read is one
};

} // namespace holdfast::engine::redis
