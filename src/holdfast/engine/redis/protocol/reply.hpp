#pragma once
// Replies of a server, read with hiredis.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct redisReader;
struct redisReply;

namespace holdfast::engine::redis {

/// A view of one reply, valid as long as the memory of its reader or owner.
class reply {
public:
    explicit reply(const redisReply& raw, bool push = false) noexcept : raw_{&raw}, push_{push} {}

    /// The server sent it unasked: it is no reply to a command.
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
    /// The integer at `at`, also if it was sent as text; 0 if there is none.
    [[nodiscard]] std::int64_t number(std::size_t at) const noexcept;
    [[nodiscard]] std::string_view word(std::size_t at) const noexcept; ///< likewise, empty

private:
    friend class kept_reply;

    const redisReply* raw_;
    bool push_;
};

/// Frees a reply that hiredis allocated.
struct reply_deleter {
    void operator()(redisReply* raw) const noexcept;
};

/// A copy of a reply: it outlives the reader's memory.
class kept_reply {
public:
    /// Throws std::bad_alloc.
    explicit kept_reply(const reply& reply);

    [[nodiscard]] reply view() const noexcept { return reply{*raw_}; }

private:
    std::unique_ptr<redisReply, reply_deleter> raw_;
};

/// Parses bytes into replies. Its memory is bounded: a reply of more than `max_bytes` is a fault.
/// It supports the RESP3 types that our commands return, also if hiredis does not: pushes, verbatim
/// text (as text, with its `txt:`), null (as an empty text), and a map that is a whole reply (as an
/// array of keys and values).
class reply_reader {
public:
    reply_reader();
    reply_reader(const reply_reader&) = delete;
    reply_reader& operator=(const reply_reader&) = delete;
    ~reply_reader();

    /// Calls `visitor` for each reply that these bytes complete; false if they are not RESP, after
    /// which nothing more can be read.
    template <typename Visitor>
    [[nodiscard]] bool read(std::span<const char> bytes, Visitor visitor) {
        // Fast path: most replies are numbers or null, which need neither hiredis nor memory.
        while (const redisReply* const got = take_short(bytes)) { visitor(reply{*got}); }
        feed(bytes);
        while (true) {
            const owned got = next();
            if (broken_) { return false; }
            if (!got) { return true; }
            visitor(reply{*got, push_});
        }
    }
    [[nodiscard]] const std::string& fault() const noexcept { return fault_; }

    static constexpr std::size_t max_bytes = std::size_t{64} << 20U;

private:
    using owned = std::unique_ptr<redisReply, reply_deleter>;
    void feed(std::span<const char> bytes);
    [[nodiscard]] owned next();
    /// Removes a complete number or null from the beginning of `bytes`; null: there is none.
    [[nodiscard]] const redisReply* take_short(std::span<const char>& bytes) noexcept;
    void translate_resp3() noexcept;
    [[nodiscard]] bool translate_map();

    redisReader* reader_;
    owned number_; ///< for `take_short`
    owned null_;
    std::size_t unread_ = 0; ///< bytes since the last complete reply
    std::string fault_;
    bool broken_ = false;
    bool push_ = false; ///< the reply being read is a push
};

} // namespace holdfast::engine::redis
