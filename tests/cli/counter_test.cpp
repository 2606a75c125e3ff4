// Many processes increment a counter in a file that only the lock guards.

#include "cli/cli_fixture.hpp"
#include "support/environment.hpp"

namespace holdfast::test {

namespace {

class counter : public cli {};

TEST_F(counter, that_8_scripts_increment_has_no_lost_update) {
    const auto runs = by_run_length(25, 100);
    sandbox_.write("count", "0\n");
    const std::string loop =
        "for ((i = 0; i < $1; ++i)); do "
        "\"$0\" run x -- sh -c 'read n < count; echo $((n + 1)) > count' || exit; done";
    std::vector<running_command> scripts;
    for (int i = 0; i < 8; ++i) {
        scripts.push_back(sandbox_.start({"bash", "-c", loop, HOLDFAST_CLI, std::to_string(runs)}));
    }
    for (auto& script : scripts) {
        const auto end = script.wait(long_wait * 8);
        EXPECT_EQ(end.code, 0) << end.err;
    }
    EXPECT_EQ(sandbox_.content("count"), std::to_string(8 * runs) + "\n");
}

} // namespace

} // namespace holdfast::test
