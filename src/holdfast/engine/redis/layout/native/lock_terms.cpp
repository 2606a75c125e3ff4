#include "holdfast/engine/redis/layout/native/lock_terms.hpp"

#include "holdfast/engine/redis/fields.hpp"
#include "holdfast/engine/redis/protocol/wire_text.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace holdfast::engine::redis {

namespace {

char letter(primitive kind) noexcept {
    switch (kind) {
    case primitive::mutex: return fields::kind_mutex;
    case primitive::shared_mutex: return fields::kind_shared_mutex;
    case primitive::semaphore: return fields::kind_semaphore;
    }
    return '?';
}

char letter(mode mode) noexcept {
    switch (mode) {
    case mode::exclusive: return fields::mode_exclusive;
    case mode::shared: return fields::mode_shared;
    case mode::permits: return fields::mode_permits;
    }
    return '?';
}

char letter(queueing queueing) noexcept {
    switch (queueing) {
    case queueing::no: return fields::queueing_no;
    case queueing::listen: return fields::queueing_listen;
    case queueing::hint: return fields::queueing_hint;
    case queueing::grant: return fields::queueing_grant;
    }
    return '?';
}

mode read_mode(char letter) noexcept {
    if (letter == fields::mode_shared) { return mode::shared; }
    return letter == fields::mode_permits ? mode::permits : mode::exclusive;
}

unsigned read_number(std::string_view digits) noexcept {
    unsigned value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
}

/// Removes the first line from `text` and returns it without its line feed.
std::string_view take_line(std::string_view& text) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    return line;
}

} // namespace

terms_writer::terms_writer(const client_identity& identity) {
    auto host = identity.host;
    std::replace(host.begin(), host.end(), '\n', '?');
    origin_ = std::to_string(identity.pid) + '\n' + host + '\n';
}

const std::string& terms_writer::write(const acquire_op& op) {
    const values now = values_of(op);
    if (!last_text_.empty() && now == last_ && op.note == last_note_) { return last_text_; }
    auto text = std::exchange(last_text_, {}); // invalid until complete: an allocation may throw
    ++changes_;
    last_ = now;
    last_note_ = op.note;
    const bool counts = op.kind == primitive::semaphore;
    const auto milliseconds = [](base::milliseconds span) {
        return static_cast<std::uint64_t>(span.count());
    };
    text.clear();
    text += letter(op.kind);
    text += letter(op.mode);
    text += op.detached ? 'd' : '-';
    append_padded(text, counts ? op.permits : 1, fields::terms_permits.length);
    append_padded(text, counts ? op.limit : 1, fields::terms_limit.length);
    append_padded(text, milliseconds(op.lease), fields::terms_lease.length);
    append_padded(text, milliseconds(op.min_hold), fields::terms_min_hold.length);
    text += letter(op.queue);
    text += origin_;
    text += op.note;
    last_text_ = std::move(text);
    return last_text_;
}

void read_terms(std::string_view terms, party& out) {
    if (terms.size() < fields::terms_queueing.end()) { return; }
    out.mode = read_mode(terms[fields::terms_mode.offset]);
    out.permits = read_number(fields::terms_permits.of(terms));
    out.lease = base::milliseconds{read_number(fields::terms_lease.of(terms))};
    terms.remove_prefix(fields::terms_queueing.end());
    const auto pid = take_line(terms);
    std::from_chars(pid.data(), pid.data() + pid.size(), out.pid);
    out.host = take_line(terms);
    out.note = terms;
}

primitive read_kind(char letter) noexcept {
    if (letter == fields::kind_shared_mutex) { return primitive::shared_mutex; }
    return letter == fields::kind_semaphore ? primitive::semaphore : primitive::mutex;
}

} // namespace holdfast::engine::redis
