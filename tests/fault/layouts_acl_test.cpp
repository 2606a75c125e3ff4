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

/// Likewise what only Redisson has besides mutexes.
void use_halves_and_permits(const std::string& url) {
    client here{url};
    client there{url};
    const admin desk{here};
    shared_mutex halves{here, "stock:halves"};
    demand(halves.acquire().release() == release_answer::released, "the writer has lost it");
    auto first = halves.acquire_shared();
    auto second = shared_mutex{there, "stock:halves"}.acquire_shared();
    demand(desk.renew("stock:halves", first.owner(), 20s), "it was not renewed");
    demand(desk.inspect("stock:halves")->holders.size() == 2, "one is not seen");
    first.release();
    demand(desk.break_lock("stock:halves"), "nobody held it");
    counting_semaphore slots{here, "stock:slots", 2};
    first = slots.acquire(2, {.lease = 100ms, .renew = false});
    demand(!counting_semaphore{there, "stock:slots", 2}.try_acquire(), "too many permits");
    second = counting_semaphore{there, "stock:slots", 2}.acquire();
    demand(desk.renew("stock:slots", second.owner(), 20s), "it was not renewed");
    demand(desk.inspect("stock:slots")->holders.size() == 1, "it is not seen");
    second.release();
    second = slots.acquire();
    demand(desk.break_lock("stock:slots"), "nobody held it");
}

class layout_acl : public redis_fault, public testing::WithParamInterface<std::string> {};

INSTANTIATE_TEST_SUITE_P(layouts, layout_acl, testing::Values("plain", "redisson", "redisson_fair"),
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
    if (GetParam() == "redisson") { EXPECT_NO_THROW(use_halves_and_permits(url)); }
    const auto refused = server.command({"ACL", "LOG"});
    EXPECT_TRUE(refused.items().empty()) << refused.text();
}

TEST_P(layout_acl, without_the_right_to_subscribe_waiters_poll) {
    auto rule = documented_rule(GetParam());
    std::erase_if(rule, [](const std::string& word) { return word.starts_with("&"); });
    rule.insert(rule.begin(), {"ACL", "SETUSER", "locks", "reset"});
    rule.push_back("&hf:inbox:*"); // which all clients need
    ASSERT_EQ(server.command(rule).text(), "OK");
    const client holder{server.url() + "?layout=" + GetParam()};
    const client deaf{"redis://locks:pass@127.0.0.1:" + std::to_string(server.port()) +
                      "?layout=" + GetParam()};
    auto held = mutex{holder, "stock"}.acquire();
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
