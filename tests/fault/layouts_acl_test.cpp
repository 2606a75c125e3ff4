// The rules in docs/layouts.md suffice for users of one layout alone.

#include "fault/redis_exercise.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace holdfast::test {
namespace {

/// The words of the rule for this user in docs/layouts.md, after its name.
std::vector<std::string> documented_rule(const std::string& user) {
    const auto root = std::filesystem::path{HOLDFAST_SOURCE_FOLDER};
    std::ifstream page{root / "docs/layouts.md"};
    std::string line;
    while (std::getline(page, line) && !line.starts_with("user " + user + " on ")) {}
    std::string rule = line;
    while (std::getline(page, line) && !line.starts_with("```")) { rule += line; }
    std::istringstream words{rule};
    std::vector<std::string> out;
    for (std::string word; words >> word;) { out.push_back(word == ">PASSWORD" ? ">pass" : word); }
    out.erase(out.begin(), out.begin() + std::min<std::ptrdiff_t>(2, std::ssize(out)));
    return out;
}

/// Uses all operations of these layouts; throws what fails.
void use_layout(const std::string& url) {
    client here{url};
    client there{url};
    const admin desk{here};
    auto held = mutex{here, "stock"}.acquire();
    demand(desk.renew("stock", held.owner(), 20s), "it was not renewed");
    demand(desk.inspect("stock").has_value(), "nobody is seen");
    demand(!mutex{there, "stock"}.try_acquire_for(20ms), "two holders");
    auto waiting = wait_for(there);
    demand(!waiting.done_within(100ms), "two holders");
    held.release();
    held = waiting.get();
    demand(desk.break_lock("stock"), "nobody held it");
    std::this_thread::sleep_for(scaled(1200ms)); // until it listens no more
    held = mutex{here, "stock"}.acquire();
}

class layout_acl : public redis_fault, public testing::WithParamInterface<std::string> {};

INSTANTIATE_TEST_SUITE_P(layouts, layout_acl, testing::Values("plain", "redisson"),
                         [](const auto& value) { return value.param; });

TEST_P(layout_acl, rule_of_the_documentation_suffices) {
    auto rule = documented_rule(GetParam());
    ASSERT_GT(rule.size(), 15U) << "it was not found";
    rule.insert(rule.begin(), {"ACL", "SETUSER", "locks", "reset"});
    ASSERT_EQ(server.command(rule).text(), "OK");
    const auto url =
        "redis://locks:pass@127.0.0.1:" + std::to_string(server.port()) + "?layout=" + GetParam();
    EXPECT_NO_THROW(use_layout(url));
    EXPECT_NO_THROW(use_layout(url + "&fencing=yes"));
    const auto refused = server.command({"ACL", "LOG"});
    EXPECT_TRUE(refused.items().empty()) << refused.text();
}

TEST_P(layout_acl, without_the_right_to_subscribe_waiters_poll) {
    auto rule = documented_rule(GetParam());
    std::erase_if(rule, [](const std::string& word) { return word.starts_with("&"); });
    rule.insert(rule.begin(), {"ACL", "SETUSER", "locks", "reset"});
    rule.push_back("&hf:inbox:*"); // which all clients need
    ASSERT_EQ(server.command(rule).text(), "OK");
    auto holder = direct();
    const client deaf{"redis://locks:pass@127.0.0.1:" + std::to_string(server.port()) +
                      "?layout=" + GetParam()};
    const lock_options options{.layout = GetParam() == "plain" ? layout::plain : layout::redisson};
    auto held = mutex{holder, "stock", options}.acquire();
    background waiting{[&](const std::stop_token&) {
        return mutex{deaf, "stock"}.try_acquire_for(long_wait).has_value();
    }};
    std::this_thread::sleep_for(200ms);
    held.release();
    EXPECT_TRUE(waiting.done_within(scaled(1s)));
    EXPECT_TRUE(waiting.get());
}

} // namespace
} // namespace holdfast::test
