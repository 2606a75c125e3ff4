// Refused requests: another primitive, another limit, invalid fields, too many waiters.

#include "admission_fixture.hpp"
#include "holdfast/engine/admission/request_validation.hpp"

#include <gmock/gmock.h>

#include <functional>

namespace holdfast::engine::admission {
namespace {

using testing::HasSubstr;

TEST_F(admission, a_name_in_use_as_another_primitive_is_refused_naming_both) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    const auto answer = acquire(permits(b, 1));
    EXPECT_EQ(answer.status, op_status::failed);
    EXPECT_EQ(answer.error, errc::wrong_primitive);
    EXPECT_THAT(answer.detail, HasSubstr("as a mutex"));
    EXPECT_THAT(answer.detail, HasSubstr("as a semaphore"));
    EXPECT_FALSE(changed);
}

TEST_F(admission, a_semaphore_in_use_with_another_limit_is_refused_naming_both) {
    ASSERT_EQ(ask(permits(a, 1, 5)), op_status::granted);
    const auto answer = acquire(permits(b, 1, 6));
    EXPECT_EQ(answer.status, op_status::failed);
    EXPECT_EQ(answer.error, errc::wrong_limit);
    EXPECT_THAT(answer.detail, HasSubstr("limit 5, not 6"));
}

TEST_F(admission, the_limit_applies_only_to_semaphores) {
    auto mutex = exclusive(a);
    mutex.limit = 3;
    ASSERT_EQ(ask(mutex), op_status::granted);
    EXPECT_EQ(ask(exclusive(b)), op_status::queued);
    EXPECT_EQ(state.limit, 1U);
}

TEST_F(admission, a_resting_hold_counts_as_use) {
    auto job = exclusive(a);
    job.min_hold = 5s;
    ASSERT_EQ(ask(job), op_status::granted);
    ASSERT_EQ(release(a), op_status::released);
    EXPECT_EQ(acquire(permits(b, 1)).error, errc::wrong_primitive);
}

TEST_F(admission, an_idle_name_may_be_used_as_something_else) {
    const auto token = acquire(exclusive(a)).token;
    ASSERT_EQ(release(a), op_status::released);
    EXPECT_GT(acquire(permits(b, 2, 2)).token, token);
    EXPECT_EQ(state.kind, primitive::semaphore);
    ASSERT_EQ(release(b), op_status::released);
    EXPECT_EQ(ask(permits(c, 7, 7)), op_status::granted);
    EXPECT_EQ(state.limit, 7U);
    pass(10s); // expiry makes idle as well
    EXPECT_EQ(ask(reader(d)), op_status::granted);
}

TEST_F(admission, invalid_requests_are_refused_naming_the_field) {
    struct invalid_request {
        errc code;
        const char* field;
        std::function<void(acquire_op&)> spoil;
    };
    const std::vector<invalid_request> requests{
        {errc::invalid_name, "name", [](auto& op) { op.ticket.name = ""; }},
        {errc::invalid_name, "name", [](auto& op) { op.ticket.name = std::string(513, 'x'); }},
        {errc::invalid_option, "permits", [](auto& op) { op.permits = 0; }},
        {errc::invalid_option, "permits", [](auto& op) { op.permits = limits::permits + 1; }},
        {errc::invalid_option, "limit", [](auto& op) { op.limit = 0; }},
        {errc::invalid_option, "limit", [](auto& op) { op.limit = limits::permits + 1; }},
        {errc::invalid_option, "lease", [](auto& op) { op.lease = 0ms; }},
        {errc::invalid_option, "lease", [](auto& op) { op.lease = 24h + 1ms; }},
        {errc::invalid_option, "min_hold", [](auto& op) { op.min_hold = -1ms; }},
        {errc::invalid_option, "min_hold", [](auto& op) { op.min_hold = 24h * 366; }},
        {errc::invalid_option, "note", [](auto& op) { op.note = std::string(257, 'x'); }},
        {errc::invalid_option, "mode", [](auto& op) { op.mode = mode::shared; }},
        {errc::invalid_option, "mode", [](auto& op) { op.kind = primitive::mutex; }},
        {errc::invalid_option, "mode", [](auto& op) { op.kind = primitive::shared_mutex; }},
    };
    for (const auto& request : requests) {
        auto operation = permits(a, 1);
        request.spoil(operation);
        const auto answer = acquire(operation);
        EXPECT_EQ(answer.status, op_status::failed) << request.field;
        EXPECT_EQ(answer.error, request.code) << request.field;
        EXPECT_THAT(answer.detail, testing::StartsWith(request.field + std::string{":"}));
        EXPECT_FALSE(changed);
        EXPECT_TRUE(reject_invalid(operation).has_value());
    }
    const auto too_many = acquire(permits(a, 6)); // the rule says so: the limit may have changed
    EXPECT_EQ(too_many.error, errc::invalid_option);
    EXPECT_THAT(too_many.detail, testing::StartsWith("permits"));
    EXPECT_FALSE(changed);
    EXPECT_EQ(ask(permits(a, 1)), op_status::granted);
}

TEST_F(admission, P9_a_full_queue_refuses_more_waiters) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    for (unsigned i = 0; i < limits::waiters_per_name; ++i) {
        ASSERT_EQ(ask(exclusive(owner(9, i))), op_status::queued);
    }
    const auto answer = acquire(exclusive(b));
    EXPECT_EQ(answer.status, op_status::failed);
    EXPECT_EQ(answer.error, errc::limit_reached);
    EXPECT_EQ(ask(exclusive(owner(9, 5))),
              op_status::queued); // a waiter that is in it keeps its place
    clients.dead.insert(owner(9).client);
    EXPECT_EQ(ask(exclusive(b)), op_status::queued);
    EXPECT_EQ(state.waiting, 1U);
}

TEST_F(admission, P9_dead_waiters_in_the_middle_make_room_in_a_full_queue) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    ASSERT_EQ(ask(exclusive(b)), op_status::queued);
    for (unsigned i = 1; i < limits::waiters_per_name; ++i) {
        ASSERT_EQ(ask(exclusive(owner(9, i))), op_status::queued);
    }
    clients.dead.insert(owner(9).client);
    EXPECT_EQ(ask(exclusive(c)), op_status::queued);
    EXPECT_EQ(state.waiting, 2U);
}

} // namespace
} // namespace holdfast::engine::admission
