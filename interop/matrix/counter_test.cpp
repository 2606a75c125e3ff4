// Both sides increment a number that only the lock guards.

#include "matrix.hpp"
#include "quorum_matrix.hpp"
#include "support/scratch_folder.hpp"

#include <fstream>

namespace holdfast::interop {

namespace {

/// Expects that four contenders on each side lose no update of `each` that every one of them does.
void expect_exact_count(driver_process& ours, driver_process& theirs, const std::string& lock,
                        int each) {
    constexpr int contenders = 4; // on each side
    const test::scratch_folder folder;
    const auto file = folder / "counter";
    std::ofstream{file} << 0;

    const auto request = "count " + lock + " " + std::to_string(each) + " " + file;
    std::vector<pending> all;
    for (int i = 0; i < contenders; ++i) {
        all.push_back(ours.start(request));
        all.push_back(theirs.start(request));
    }
    for (const auto& one : all) { EXPECT_EQ(one.text(5min), "done " + std::to_string(each)); }

    int counted = 0;
    std::ifstream{file} >> counted;
    EXPECT_EQ(counted, 2 * contenders * each);
}

} // namespace

class counter : public matrix {};
HOLDFAST_FOR_ALL_CLIENTS(counter);

TEST_P(counter, of_eight_contenders_has_no_lost_update_in_ten_thousand) {
    expect_exact_count(ours(), theirs(), name(), 1250);
}

class quorum_counter : public quorum_matrix {};
HOLDFAST_FOR_ALL_QUORUMS(five_servers_two_dead, quorum_counter, {.servers = 5, .dead = 2});

TEST_P(quorum_counter, of_eight_contenders_has_no_lost_update_in_four_hundred) {
    expect_exact_count(ours(), theirs(), name(), 50);
}

} // namespace holdfast::interop
