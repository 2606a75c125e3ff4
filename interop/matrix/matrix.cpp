#include "matrix.hpp"

#include <algorithm>
#include <map>

namespace holdfast::interop {

namespace {

/// The one that is there already, or a new one.
driver_process& kept(std::map<std::string, std::unique_ptr<driver_process>>& all,
                     const std::string& name, const auto& start) {
    auto& found = all[name];
    if (!found) { found = start(); }
    return *found;
}

} // namespace

test::redis_server& matrix::server() {
    static test::redis_server one;
    return one;
}

driver_process& matrix::theirs() const {
    static std::map<std::string, std::unique_ptr<driver_process>> all;
    return kept(all, GetParam().name, [this] { return another_of_theirs(); });
}

driver_process& matrix::ours() const {
    static std::map<std::string, std::unique_ptr<driver_process>> all;
    return kept(all, GetParam().layout + GetParam().key_prefix,
                [this] { return another_of_ours(); });
}

std::unique_ptr<driver_process> matrix::another_of_theirs() const {
    return start_theirs(std::to_string(server().port()), GetParam());
}

std::unique_ptr<driver_process> matrix::another_of_ours() const {
    return start_ours(std::to_string(server().port()), GetParam());
}

void matrix::TearDown() {
    // Some are deleted without waiting for the answer.
    EXPECT_TRUE(eventually([] { return undocumented_keys(server()).empty(); }, 3s))
        << undocumented_keys(server());
    server().flush_all();
}

milliseconds matrix::our_patience() const {
    return GetParam().layout == "plain" ? our_longest_poll + slack : slack;
}

microseconds matrix::wake_up(driver_process& holder, driver_process& waiter) const {
    EXPECT_EQ(holder.ask(try_by("holder")), "held");
    const auto waits = waiter.start(wait_by("waiter"));
    EXPECT_FALSE(waits.answered_within(50ms));
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(holder.ask("release holder"), "released");
    EXPECT_EQ(waits.text(), "held");
    EXPECT_EQ(waiter.ask("release waiter"), "released");
    return std::chrono::duration_cast<microseconds>(waits.at() - start);
}

microseconds median(std::vector<microseconds> all) {
    std::sort(all.begin(), all.end());
    return all.at(all.size() / 2);
}

std::string name_of(const testing::TestParamInfo<client_under_test>& one) {
    return one.param.test_name();
}

} // namespace holdfast::interop
