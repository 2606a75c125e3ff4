#include "holdfast/engine/redis/protocol/reply.hpp"

#include <hiredis.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <new>
#include <string>
#include <utility>

namespace holdfast::engine::redis {

bool reply::is_error() const noexcept { return raw_->type == REDIS_REPLY_ERROR; }
bool reply::is_integer() const noexcept { return raw_->type == REDIS_REPLY_INTEGER; }
bool reply::is_array() const noexcept { return raw_->type == REDIS_REPLY_ARRAY; }
bool reply::is_text() const noexcept {
    return raw_->type == REDIS_REPLY_STRING || raw_->type == REDIS_REPLY_STATUS;
}
/// The reader turns null into an empty status; a server sends no other empty status.
bool reply::is_null() const noexcept { return raw_->type == REDIS_REPLY_STATUS && raw_->len == 0; }

std::int64_t reply::integer() const noexcept { return is_integer() ? raw_->integer : 0; }

std::string_view reply::text() const noexcept {
    return is_text() || is_error()
               ? std::string_view{raw_->str, static_cast<std::size_t>(raw_->len)}
               : std::string_view{};
}

std::size_t reply::size() const noexcept { return is_array() ? raw_->elements : 0; }

reply reply::operator[](std::size_t at) const noexcept { return reply{*raw_->element[at]}; }

std::int64_t reply::number(std::size_t at) const noexcept {
    if (at >= size()) { return 0; }
    const reply item = (*this)[at];
    if (item.is_integer()) { return item.integer(); }
    const auto digits = item.text();
    std::int64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
}

std::string_view reply::word(std::size_t at) const noexcept {
    return at < size() ? (*this)[at].text() : std::string_view{};
}

namespace {

/// The longest list that can be expected: a page of SCAN, or the holders or waiters of a name.
constexpr std::size_t max_items = 100'000;

redisReplyObjectFunctions read_default_functions() {
    redisReader* const any = redisReaderCreate();
    if (any == nullptr) { throw std::bad_alloc{}; }
    const auto out = *any->fn;
    redisReaderFree(any);
    return out;
}

const redisReplyObjectFunctions& default_functions() {
    static const auto all = read_default_functions();
    return all;
}

/// hiredis allocates as many items as the first line announces, so limit them. (The type of the
/// count differs between its versions.)
template <typename Count>
void* make_list(const redisReadTask* task, Count items) {
    return static_cast<std::size_t>(items) > max_items
               ? nullptr
               : default_functions().createArray(task, items);
}

redisReplyObjectFunctions bounded_functions() {
    auto out = default_functions();
    out.createArray = make_list;
    return out;
}

redisReader* make_reader() {
    static redisReplyObjectFunctions bounded = bounded_functions();
    redisReader* const out = redisReaderCreateWithFunctions(&bounded);
    if (out == nullptr) { throw std::bad_alloc{}; }
    return out;
}

} // namespace

void reply_deleter::operator()(redisReply* raw) const noexcept { freeReplyObject(raw); }

namespace {

using owned_reply = std::unique_ptr<redisReply, reply_deleter>;

/// The type of the count differs between the versions of hiredis.
template <typename Count>
void* make_items(void* (*make)(const redisReadTask*, Count), const redisReadTask& task,
                 std::size_t count) {
    return make(&task, static_cast<Count>(count));
}

owned_reply copy_of(const redisReply& raw) {
    const auto& make = default_functions();
    redisReadTask task{};
    task.type = raw.type;
    owned_reply out;
    if (raw.type == REDIS_REPLY_INTEGER) {
        out.reset(static_cast<redisReply*>(make.createInteger(&task, raw.integer)));
    } else if (raw.type == REDIS_REPLY_ARRAY) {
        out.reset(static_cast<redisReply*>(
            make_items(make.createArray, task, raw.elements))); // they are null so far
        for (std::size_t at = 0; out && at < raw.elements; ++at) {
            out->element[at] = copy_of(*raw.element[at]).release();
        }
    } else { // no other type has a text; hiredis expects a writable one
        const bool has_text = raw.str != nullptr && raw.type != REDIS_REPLY_NIL;
        if (!has_text) { task.type = REDIS_REPLY_STATUS; }
        std::string text{has_text ? raw.str : "", has_text ? static_cast<std::size_t>(raw.len) : 0};
        out.reset(static_cast<redisReply*>(make.createString(&task, text.data(), text.size())));
    }
    if (!out) { throw std::bad_alloc{}; }
    return out;
}

} // namespace

kept_reply::kept_reply(const reply& reply) : raw_{copy_of(*reply.raw_)} {}

reply_reader::reply_reader() : reader_{make_reader()} {
    redisReadTask task{};
    number_.reset(static_cast<redisReply*>(default_functions().createInteger(&task, 0)));
    std::string empty;
    task.type = REDIS_REPLY_STATUS;
    null_.reset(static_cast<redisReply*>(default_functions().createString(&task, empty.data(), 0)));
    if (!number_ || !null_) {
        redisReaderFree(reader_);
        throw std::bad_alloc{};
    }
}

reply_reader::~reply_reader() { redisReaderFree(reader_); }

namespace {

/// Eight digits at once, the first in the lowest byte. False if there are other bytes among them.
bool read_eight_digits(const char* from, std::uint64_t& value) noexcept {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t x = 0;
    std::memcpy(&x, from, sizeof x);
    x ^= 0x3030'3030'3030'3030U;
    if (((x | (x + 0x7676'7676'7676'7676U)) & 0x8080'8080'8080'8080U) != 0) { return false; }
    x = (x * 10 + (x >> 8U)) & 0x00ff'00ff'00ff'00ffU; // four numbers of two digits
    x = (x * 100 + (x >> 16U)) & 0x0000'ffff'0000'ffffU;
    value = (x * 10'000 + (x >> 32U)) & 0xffff'ffffU;
    return true;
}

} // namespace

const redisReply* reply_reader::take_short(std::span<const char>& bytes) noexcept {
    constexpr std::string_view null = "_\r\n";
    if (unread_ > 0 || broken_ || bytes.size() < null.size()) { return nullptr; }
    const char* const end = bytes.data() + bytes.size();
    if (std::string_view{bytes.data(), null.size()} == null) {
        bytes = bytes.subspan(null.size());
        return null_.get();
    }
    if (bytes.front() != ':') { return nullptr; }
    // Anything unusual or incomplete is left to hiredis: also zeros in front of a number, and one
    // of so many digits that it may be too large.
    constexpr std::ptrdiff_t most_digits = 18;
    const bool negative = bytes[1] == '-';
    const char* const first = bytes.data() + (negative ? 2 : 1);
    const char* const limit = first + std::min(most_digits, end - first);
    const char* after = first;
    long long value = 0;
    for (std::uint64_t eight = 0; limit - after >= 8 && read_eight_digits(after, eight);) {
        value = value * 100'000'000 + static_cast<long long>(eight);
        after += 8;
    }
    for (; after != limit && *after >= '0' && *after <= '9'; ++after) {
        value = value * 10 + (*after - '0');
    }
    const bool padded = *first == '0' && after - bytes.data() > 2;
    if (after == first || padded || end - after < 2 || after[0] != '\r' || after[1] != '\n') {
        return nullptr;
    }
    number_->integer = negative ? -value : value;
    bytes = bytes.subspan(static_cast<std::size_t>(after + 2 - bytes.data()));
    return number_.get();
}

void reply_reader::feed(std::span<const char> bytes) {
    if (broken_ || bytes.empty()) { return; }
    unread_ += bytes.size();
    if (unread_ > max_bytes) {
        broken_ = true;
        fault_ = "an answer of more than 64 MiB";
        return;
    }
    if (redisReaderFeed(reader_, bytes.data(), bytes.size()) != REDIS_OK) {
        broken_ = true;
        fault_ = reader_->errstr;
    }
}

/// hiredis supports RESP3 only from 1.0 on. Replies of these types differ from RESP2 types only in
/// their first byte, so that byte is replaced.
void reply_reader::translate_resp3() noexcept {
    if (reader_->ridx != -1) { return; } // in the middle of a reply
    char& first = reader_->buf[reader_->pos];
    push_ = first == '>';
    switch (first) {
    case '>': first = '*'; break;
    case '=': first = '$'; break;
    case '_': first = '+'; break;
    default: break;
    }
}

/// A map of n pairs is an array of 2n items. Its first line may become longer by that, so the bytes
/// go to a new reader. Only sentinels send maps. False: the line is not complete yet.
bool reply_reader::translate_map() {
    const std::string_view rest{reader_->buf + reader_->pos, reader_->len - reader_->pos};
    if (reader_->ridx != -1 || rest.front() != '%') { return true; }
    const auto line_end = rest.find("\r\n");
    if (line_end == std::string_view::npos) { return false; }
    std::size_t pairs = 0;
    const auto* const end = rest.data() + line_end;
    const auto [stop, wrong] = std::from_chars(rest.data() + 1, end, pairs);
    // More than the limit: the array is refused, too.
    if (wrong != std::errc{} || stop != end || pairs > max_items) { pairs = max_items; }
    auto translated = "*" + std::to_string(2 * pairs);
    translated += rest.substr(line_end);
    redisReaderFree(std::exchange(reader_, make_reader()));
    if (redisReaderFeed(reader_, translated.data(), translated.size()) != REDIS_OK) {
        throw std::bad_alloc{};
    }
    return true;
}

reply_reader::owned reply_reader::next() {
    if (broken_ || reader_->pos >= reader_->len || !translate_map()) { return nullptr; }
    translate_resp3();
    void* raw = nullptr;
    if (redisReaderGetReply(reader_, &raw) != REDIS_OK) {
        broken_ = true;
        fault_ = reader_->err == REDIS_ERR_OOM ? "a list that is too long" : reader_->errstr;
        return nullptr;
    }
    if (raw != nullptr) { unread_ = reader_->len - reader_->pos; }
    return owned{static_cast<redisReply*>(raw)};
}

} // namespace holdfast::engine::redis
