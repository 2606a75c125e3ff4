// When buffered commands are written.

#include "holdfast/engine/redis/node/write_batcher.hpp"

#include <gtest/gtest.h>

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using engine::redis::channel_traffic;
using engine::redis::flush_occasion;
using engine::redis::write_batcher;

class redis_write_batcher : public testing::Test {
protected:
    bool flush(flush_occasion occasion, const channel_traffic& traffic) {
        return batcher.should_flush(occasion, traffic, now);
    }
    /// So many operations were in flight at once.
    void reach_peak(std::size_t count) {
        EXPECT_TRUE(flush(flush_occasion::submit, {count, 0, false}));
    }

    write_batcher batcher;
    base::instant now{1h};
};

/// What `write_batcher` promises in its table. The peak is 8.
TEST_F(redis_write_batcher, follows_its_table) {
    struct row {
        flush_occasion occasion;
        bool being_read;
        std::size_t sent;
        std::size_t in_flight;
        bool flush;
    };
    constexpr auto submit = flush_occasion::submit;
    constexpr auto read = flush_occasion::read;
    for (const row& each : {
             row{submit, true, 4, 5, false}, // the reader takes them along
             row{submit, true, 4, 7, false},
             row{submit, true, 4, 8, true}, // as many as ever: nobody else will come
             row{submit, true, 4, 9, true},
             row{submit, true, 3, 5, true}, // too few replies to wait for
             row{submit, true, 0, 1, true},
             row{submit, false, 4, 5, true}, // nobody reads
             row{submit, false, 0, 1, true},
             row{read, true, 4, 5, true},
             row{read, false, 4, 5, true},
             row{read, false, 0, 1, true},
         }) {
        batcher = {};
        reach_peak(8);
        EXPECT_EQ(flush(each.occasion, {each.in_flight, each.sent, each.being_read}), each.flush)
            << each.sent << " of " << each.in_flight << (each.being_read ? " being read" : "")
            << (each.occasion == submit ? " at submit" : " at read");
    }
}

TEST_F(redis_write_batcher, lowers_the_peak_by_one_with_each_read) {
    reach_peak(8);
    const channel_traffic six{6, 4, true};
    EXPECT_FALSE(flush(flush_occasion::submit, six));
    EXPECT_TRUE(flush(flush_occasion::read, six));
    EXPECT_FALSE(flush(flush_occasion::submit, six)) << "the peak is 7";
    EXPECT_TRUE(flush(flush_occasion::read, six));
    EXPECT_TRUE(flush(flush_occasion::submit, six)) << "the peak is 6";
}

TEST_F(redis_write_batcher, holds_a_deferred_write_for_a_millisecond) {
    EXPECT_EQ(batcher.due(), base::never);
    batcher.defer_write(now);
    EXPECT_EQ(batcher.due(), now + 1ms);
    EXPECT_FALSE(flush(flush_occasion::submit, {1, 0, false}));
    now += 1ms;
    EXPECT_TRUE(flush(flush_occasion::submit, {1, 0, false}));
    EXPECT_EQ(batcher.due(), base::never);
}

TEST_F(redis_write_batcher, holds_deferred_writes_from_the_first_of_them_on) {
    batcher.defer_write(now);
    now += 900us;
    batcher.defer_write(now);
    EXPECT_EQ(batcher.due(), now + 100us);
    EXPECT_FALSE(flush(flush_occasion::submit, {2, 0, false}));
}

TEST_F(redis_write_batcher, writes_a_deferred_request_with_the_next_one_that_is_not_deferred) {
    batcher.defer_write(now);
    EXPECT_TRUE(flush(flush_occasion::submit, {2, 0, false}));
    EXPECT_EQ(batcher.due(), base::never);
}

TEST_F(redis_write_batcher, defers_also_while_replies_are_pending) {
    batcher.defer_write(now);
    EXPECT_FALSE(flush(flush_occasion::submit, {3, 2, false})) << "only one is not sent";
}

TEST_F(redis_write_batcher, defers_nothing_while_a_thread_reads_or_has_read) {
    batcher.defer_write(now);
    EXPECT_TRUE(flush(flush_occasion::submit, {1, 0, true}));
    batcher.defer_write(now);
    EXPECT_TRUE(flush(flush_occasion::read, {1, 0, false}));
}

TEST_F(redis_write_batcher, forgets_deferred_writes_with_their_connection) {
    batcher.defer_write(now);
    batcher.on_empty();
    EXPECT_EQ(batcher.due(), base::never);
    EXPECT_TRUE(flush(flush_occasion::submit, {1, 0, false}));
}

} // namespace
} // namespace holdfast::test
