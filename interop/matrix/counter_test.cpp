// Both sides increment a number that only the lock guards.

#include "matrix.hpp"

#include <fstream>

namespace holdfast::interop {

class counter : public matrix {};
HOLDFAST_FOR_ALL_CLIENTS(counter);

TEST_P(counter, of_eight_contenders_has_no_lost_update_in_ten_thousand) {
    constexpr int contenders = 4; // on each side
    constexpr int total = 10'000;
    constexpr int each = total / (2 * contenders);
    const test::scratch_folder folder;
    const auto file = folder / "counter";
    std::ofstream{file} << 0;

    const auto request = "count " + name() + " " + std::to_string(each) + " " + file;
    std::vector<pending> all;
    for (int i = 0; i < contenders; ++i) {
        all.push_back(ours().start(request));
        all.push_back(theirs().start(request));
    }
    for (const auto& one : all) { EXPECT_EQ(one.text(3min), "done " + std::to_string(each)); }

    int counted = 0;
    std::ifstream{file} >> counted;
    EXPECT_EQ(counted, total);
}

} // namespace holdfast::interop
