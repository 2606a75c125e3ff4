#include "holdfast/engine/embedded/codec.hpp"

#include <gtest/gtest.h>

namespace holdfast::engine::embedded {
namespace {

admission::record sample() {
    admission::record out;
    out.kind = primitive::semaphore;
    out.limit = 7;
    out.waiting = 3;
    out.high_water = 1794775732436300;
    out.epoch = 1794775732436299;
    out.keep_until = base::instant{base::duration{77}};
    out.last = {{base::client_id::make(), 41}, op_status::handed_off};
    for (std::uint64_t number = 1; number <= 3; ++number) {
        admission::hold_record hold;
        hold.owner = {base::client_id::make(), number};
        hold.token = out.high_water - number;
        hold.mode = mode::permits;
        hold.permits = 2;
        hold.released = number == 2;
        hold.deadline = base::never;
        hold.rest_until = base::instant{base::duration{number}};
        hold.since_wall_us = 12;
        hold.process = {"host-" + std::to_string(number), 4711};
        hold.note = std::string("n\0te", 4);
        out.holds.push_back(hold);
    }
    return out;
}

void expect_equal(const admission::record& a, const admission::record& b) {
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.limit, b.limit);
    EXPECT_EQ(a.waiting, b.waiting);
    EXPECT_EQ(a.high_water, b.high_water);
    EXPECT_EQ(a.epoch, b.epoch);
    EXPECT_EQ(a.keep_until, b.keep_until);
    EXPECT_EQ(a.last.owner, b.last.owner);
    EXPECT_EQ(a.last.status, b.last.status);
    ASSERT_EQ(a.holds.size(), b.holds.size());
    for (std::size_t at = 0; at < a.holds.size(); ++at) {
        const auto& hold = a.holds[at];
        const auto& other = b.holds[at];
        EXPECT_EQ(hold.owner, other.owner);
        EXPECT_EQ(hold.token, other.token);
        EXPECT_EQ(hold.mode, other.mode);
        EXPECT_EQ(hold.permits, other.permits);
        EXPECT_EQ(hold.released, other.released);
        EXPECT_EQ(hold.deadline, other.deadline);
        EXPECT_EQ(hold.rest_until, other.rest_until);
        EXPECT_EQ(hold.since_wall_us, other.since_wall_us);
        EXPECT_EQ(hold.process.host, other.process.host);
        EXPECT_EQ(hold.process.pid, other.process.pid);
        EXPECT_EQ(hold.note, other.note);
    }
}

TEST(embedded_codec, decodes_the_record_that_was_encoded) {
    buffer out;
    const auto record = sample();
    encode(record, 5, out);
    const auto read = decode_record(out, 5);
    ASSERT_TRUE(read);
    expect_equal(record, *read);
    encode(admission::record{}, 5, out);
    ASSERT_TRUE(decode_record(out, 5));
    EXPECT_TRUE(decode_record(out, 5)->idle());
}

TEST(embedded_codec, keeps_only_the_tokens_of_a_record_from_before_a_boot) {
    buffer out;
    encode(sample(), 5, out);
    const auto read = decode_record(out, 6);
    ASSERT_TRUE(read);
    EXPECT_TRUE(read->idle());
    EXPECT_EQ(read->high_water, sample().high_water);
    EXPECT_EQ(read->epoch, sample().epoch);
    EXPECT_EQ(read->keep_until, base::instant{});
}

TEST(embedded_codec, reads_records_of_the_first_format) {
    buffer out;
    encode(sample(), 5, out);
    out.front() = std::byte{1}; // which had a wall clock in place of keep_until
    out.pop_back();             // and ended with the holds
    const auto read = decode_record(out, 5);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->high_water, sample().high_water);
    EXPECT_EQ(read->holds.size(), sample().holds.size());
    EXPECT_EQ(read->keep_until, base::instant{});
}

/// Written by versions whose enums had fewer members: the numbers in the file stay.
TEST(embedded_codec, reads_records_and_waiters_of_the_second_format) {
    buffer out;
    encode(sample(), 5, out);
    out.front() = std::byte{2};
    out.pop_back(); // it ended with the holds
    constexpr std::size_t status_at = 1 + 4 + 1 + 4 + 4 + 8 + 8 + 8 + 24;
    for (const auto& [number, status] : {std::pair{7, op_status::not_held},
                                         {4, op_status::released},
                                         {5, op_status::handed_off}}) {
        out[status_at] = static_cast<std::byte>(number);
        const auto read = decode_record(out, 5);
        ASSERT_TRUE(read) << number;
        EXPECT_EQ(read->last.status, status);
        EXPECT_EQ(read->keep_until, sample().keep_until);
    }
    buffer waiting;
    admission::waiter waiter;
    encode(waiter, waiting);
    constexpr std::size_t queueing_at = 1 + 1 + 4;
    for (const auto& [number, queue] : {std::pair{1, queueing::hint}, {2, queueing::grant}}) {
        waiting[queueing_at] = static_cast<std::byte>(number);
        ASSERT_TRUE(decode_waiter(waiting, waiter)) << number;
        EXPECT_EQ(waiter.queue, queue);
    }
}

admission::record sample_with_votes() {
    auto out = sample();
    out.expired = {{base::client_id::make(), 51}, 1794775732436298};
    out.listeners.push_back({{base::client_id::make(), 52}, base::instant{base::duration{88}}});
    out.broken.push_back({{base::client_id::make(), 53}, base::instant{base::duration{99}}});
    out.broken.push_back({{base::client_id::make(), 54}, base::instant{base::duration{99}}});
    return out;
}

TEST(embedded_codec, keeps_listeners_broken_holds_and_an_expired_one_until_the_next_boot) {
    const auto record = sample_with_votes();
    buffer out;
    encode(record, 5, out);
    const auto read = decode_record(out, 5);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->expired.owner, record.expired.owner);
    EXPECT_EQ(read->expired.token, record.expired.token);
    ASSERT_EQ(read->listeners.size(), 1U);
    EXPECT_EQ(read->listeners[0].owner, record.listeners[0].owner);
    EXPECT_EQ(read->listeners[0].alive_until, record.listeners[0].alive_until);
    ASSERT_EQ(read->broken.size(), 2U);
    EXPECT_EQ(read->broken[1].owner, record.broken[1].owner);
    EXPECT_EQ(read->broken[1].until, record.broken[1].until);
    const auto later = decode_record(out, 6);
    ASSERT_TRUE(later);
    EXPECT_TRUE(later->listeners.empty());
    EXPECT_TRUE(later->broken.empty());
    EXPECT_EQ(later->expired.token, 0U);
}

TEST(embedded_codec, refuses_every_record_that_is_too_short_or_too_long) {
    buffer out;
    encode(sample_with_votes(), 1, out);
    for (std::size_t size = 0; size < out.size(); ++size) {
        EXPECT_FALSE(decode_record(bytes{out}.first(size), 1)) << size;
    }
    out.push_back(std::byte{0});
    EXPECT_FALSE(decode_record(out, 1));
}

TEST(embedded_codec, survives_every_damaged_byte) {
    buffer out;
    encode(sample_with_votes(), 1, out);
    for (std::size_t at = 0; at < out.size(); ++at) {
        for (const auto value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
            buffer bad = out;
            bad[at] = static_cast<std::byte>(value);
            const auto read = decode_record(bad, 1);         // a sanitizer would tell
            if (at == 0) { EXPECT_FALSE(read.has_value()); } // other formats are shorter
        }
    }
}

TEST(embedded_codec, decodes_the_waiter_that_was_encoded) {
    admission::waiter waiter;
    waiter.mode = mode::shared;
    waiter.permits = 9;
    waiter.queue = queueing::hint;
    waiter.lease = base::milliseconds{1234};
    waiter.min_hold = base::milliseconds{7};
    waiter.since_wall_us = 99;
    waiter.process = {"host", -1};
    waiter.note = "why";
    buffer out;
    encode(waiter, out);
    admission::waiter read;
    ASSERT_TRUE(decode_waiter(out, read));
    EXPECT_EQ(read.mode, waiter.mode);
    EXPECT_EQ(read.permits, waiter.permits);
    EXPECT_EQ(read.queue, waiter.queue);
    EXPECT_EQ(read.lease, waiter.lease);
    EXPECT_EQ(read.min_hold, waiter.min_hold);
    EXPECT_EQ(read.since_wall_us, waiter.since_wall_us);
    EXPECT_EQ(read.process.host, waiter.process.host);
    EXPECT_EQ(read.process.pid, waiter.process.pid);
    EXPECT_EQ(read.note, waiter.note);
    for (std::size_t size = 0; size < out.size(); ++size) {
        EXPECT_FALSE(decode_waiter(bytes{out}.first(size), read)) << size;
    }
}

TEST(embedded_codec, keys_of_owners_are_unique_and_decodable) {
    const base::owner_id owner_1{base::client_id::make(), 0x0102030405060708};
    const base::owner_id owner_2{owner_1.client, 0x0102030405060709};
    EXPECT_NE(encode_owner(owner_1), encode_owner(owner_2));
    EXPECT_EQ(decode_owner(encode_owner(owner_1)), owner_1);
    EXPECT_FALSE(decode_owner(bytes{}));
}

TEST(embedded_codec, keeps_a_limit_that_was_set_and_outlives_a_boot_with_it) {
    auto written = sample();
    buffer plain;
    encode(written, 7, plain);
    EXPECT_EQ(plain.front(), std::byte{3}) << "other records stay readable for older versions";
    written.resized = {9, 1794775732436301, {base::client_id::make(), 5}};
    buffer out;
    encode(written, 7, out);
    EXPECT_EQ(out.front(), std::byte{4});
    for (const std::uint32_t boot : {7U, 8U}) {
        const auto read = decode_record(out, boot);
        ASSERT_TRUE(read);
        EXPECT_EQ(read->resized.limit, 9U);
        EXPECT_EQ(read->resized.generation, 1794775732436301U);
        EXPECT_EQ(read->resized.by, written.resized.by);
    }
    out.pop_back();
    EXPECT_FALSE(decode_record(out, 7));
}

} // namespace
} // namespace holdfast::engine::embedded
