#include "matrix.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <regex>
#include <set>
#include <stdexcept>

namespace holdfast::interop {

std::string drivers() {
    const char* const folder = std::getenv("HOLDFAST_INTEROP_DRIVERS");
    if (folder == nullptr) { throw std::runtime_error{"start this with: ./dev interop"}; }
    return folder;
}

namespace {

std::unique_ptr<driver_process> started(words command) {
    auto out = std::make_unique<driver_process>(std::move(command));
    const auto greeting = out->ask("hello");
    if (greeting.rfind("ok ", 0) != 0) { throw std::runtime_error{"hello: " + greeting}; }
    static std::set<std::string> shown; // ./dev interop puts it into its summary
    if (greeting.find("holdfast") == std::string::npos && shown.insert(greeting).second) {
        std::cout << "client: " << greeting.substr(3) << std::endl;
    }
    return out;
}

std::unique_ptr<driver_process> start_theirs(std::uint16_t port, const client_under_test& client) {
    return started({drivers() + "/" + client.name + "/run", std::to_string(port),
                    std::to_string(watchdog_lease.count())});
}

std::unique_ptr<driver_process> start_ours(std::uint16_t port, const client_under_test& client) {
    return started({HOLDFAST_INTEROP_DRIVER, std::to_string(port),
                    std::to_string(watchdog_lease.count()), client.layout});
}

/// The one that is there already, or a new one.
driver_process& kept(std::map<std::string, std::unique_ptr<driver_process>>& all,
                     const std::string& name, const auto& start) {
    auto& found = all[name];
    if (!found) { found = start(); }
    return *found;
}

std::string with(const std::string& request, const std::string& options) {
    return options.empty() ? request : request + " " + options;
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
    return kept(all, GetParam().layout, [this] { return another_of_ours(); });
}

std::unique_ptr<driver_process> matrix::another_of_theirs() const {
    return start_theirs(server().port(), GetParam());
}

std::unique_ptr<driver_process> matrix::another_of_ours() const {
    return start_ours(server().port(), GetParam());
}

matrix::matrix() {
    static int made = 0;
    name_ = "lock:" + std::to_string(++made);
}

void matrix::TearDown() {
    // Some are deleted without waiting for the answer.
    EXPECT_TRUE(eventually([] { return undocumented_keys().empty(); }, 3s)) << undocumented_keys();
    server().flush_all();
}

std::string matrix::try_by(const std::string& hold, milliseconds lease,
                           const std::string& options) const {
    return with("try " + hold + " " + name_ + " " + std::to_string(lease.count()), options);
}

std::string matrix::wait_by(const std::string& hold, milliseconds lease, milliseconds wait,
                            const std::string& options) const {
    return with("acquire " + hold + " " + name_ + " " + std::to_string(lease.count()) + " " +
                    std::to_string(wait.count()),
                options);
}

milliseconds matrix::time_left(const std::string& name) {
    return milliseconds{server().command({"PTTL", name}).number()};
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

std::vector<std::string> matrix::keys(const std::string& pattern) {
    std::vector<std::string> out;
    std::string cursor = "0";
    do {
        const auto page = server().command({"SCAN", cursor, "MATCH", pattern, "COUNT", "1000"});
        cursor = page.items().at(0).string();
        for (const auto& key : page.items().at(1).items()) { out.push_back(key.string()); }
    } while (cursor != "0");
    return out;
}

std::string matrix::undocumented_keys() {
    // docs/layouts.md: the only keys that outlive a lock.
    static const std::regex documented{R"(redisson_lock_token:.*|hf:token:.*)"};
    std::string out;
    for (const auto& key : keys()) {
        if (!std::regex_match(key, documented)) { out += key + "\n"; }
    }
    return out;
}

std::string name_of(const testing::TestParamInfo<client_under_test>& one) {
    return one.param.test_name();
}

} // namespace holdfast::interop
