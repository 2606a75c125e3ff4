// Many processes count in a file that nothing else guards.

#include "cli/cli.hpp"

namespace holdfast::test {

namespace {

class counter : public cli {};

TEST_F(counter, of_8_times_100_runs_is_800) {
    here.write("count", "0\n");
    std::vector<running> all;
    for (int i = 0; i < 8; ++i) {
        all.push_back(here.start(
            {"bash", "-c",
             "for i in {1..100}; do \"$0\" run x -- sh -c 'read n < count; echo $((n + 1)) > "
             "count' || exit; done",
             HOLDFAST_CLI}));
    }
    for (auto& one : all) {
        const auto end = one.wait(long_wait * 8);
        EXPECT_EQ(end.code, 0) << end.err;
    }
    EXPECT_EQ(here.content("count"), "800\n");
}

} // namespace

} // namespace holdfast::test
