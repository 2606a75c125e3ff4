// Changes whose reply is lost: what they did is unknown, whatever a later attempt is answered (P5).

#include "fault/redis_fixture.hpp"

namespace holdfast::test {
namespace {

class redis_unknown_outcome : public redis_fault {};

// The writer went on as one, while readers were let in.
TEST_F(redis_unknown_outcome, of_a_downgrade_that_the_server_has_done) {
    auto here = connect("", {.connect_wait = 500ms});
    shared_mutex config{here, "config"};
    auto held = config.acquire();
    between.refuse_new();
    between.drop_answers({.with = call_of(scripts::downgrade)});
    std::error_code failure;
    config.downgrade(held, failure);
    EXPECT_EQ(failure, errc::unknown_outcome);
    between.serve_new();
}

} // namespace
} // namespace holdfast::test
