// Many processes count in a file that nothing else guards.

#include "cli/cli.hpp"
#include "support/environment.hpp"

namespace holdfast::test {

namespace {

class counter : public cli {};

TEST_F(counter, of_all_runs_of_8_scripts_is_their_number) {
    const auto runs = by_run_length(25, 100);
    here.write("count", "0\n");
    const std::string script =
        "for ((i = 0; i < $1; ++i)); do "
        "\"$0\" run x -- sh -c 'read n < count; echo $((n + 1)) > count' || exit; done";
    std::vector<running> all;
    for (int i = 0; i < 8; ++i) {
        all.push_back(here.start({"bash", "-c", script, HOLDFAST_CLI, std::to_string(runs)}));
    }
    for (auto& one : all) {
        const auto end = one.wait(long_wait * 8);
        EXPECT_EQ(end.code, 0) << end.err;
    }
    EXPECT_EQ(here.content("count"), std::to_string(8 * runs) + "\n");
}

} // namespace

} // namespace holdfast::test
