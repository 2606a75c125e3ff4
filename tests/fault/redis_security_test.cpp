// Access to a server: ACLs, passwords and addresses.

#include "fault/redis_exercise.hpp"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

namespace holdfast::test {
namespace {

using testing::HasSubstr;

/// The words of the rule in docs/redis.md, after the user's name.
std::vector<std::string> documented_rule() {
    const auto root = std::filesystem::path{HOLDFAST_SOURCE_FOLDER};
    std::ifstream page{root / "docs/redis.md"};
    std::string line;
    while (std::getline(page, line) && !line.starts_with("user locks on ")) {}
    std::string rule = line;
    while (std::getline(page, line) && !line.starts_with("```")) { rule += line; }
    std::istringstream words{rule};
    std::vector<std::string> out;
    for (std::string word; words >> word;) { out.push_back(word == ">PASSWORD" ? ">pass" : word); }
    out.erase(out.begin(), out.begin() + std::min<std::ptrdiff_t>(2, std::ssize(out)));
    return out;
}

class redis_acl : public redis_fault {
protected:
    /// Creates a user with this rule; returns the URL of that user.
    [[nodiscard]] std::string user(std::vector<std::string> rule) {
        rule.insert(rule.begin(), {"ACL", "SETUSER", "locks", "reset"});
        EXPECT_EQ(server.command(rule).text(), "OK");
        server.flush_all();
        return "redis://locks:pass@127.0.0.1:" + std::to_string(server.port());
    }
};

TEST_F(redis_acl, rule_of_the_documentation_suffices_for_everything) {
    const auto rule = documented_rule();
    ASSERT_GT(rule.size(), 20U) << "it was not found";
    const auto url = user(rule);
    EXPECT_NO_THROW(use_everything(url));
    EXPECT_NO_THROW(use_everything(url + "/3"));
    // The server did not refuse any command silently either.
    const auto refused = server.command({"ACL", "LOG"});
    EXPECT_TRUE(refused.items().empty()) << refused.text();
}

TEST_F(redis_acl, rule_of_the_documentation_has_no_command_too_many) {
    const auto rule = documented_rule();
    const std::set<std::string> optional{"+info", "+select", "+script|exists"};
    int tried = 0;
    for (const auto& word : rule) {
        if (!word.starts_with('+')) { continue; }
        ++tried;
        auto less = rule;
        std::erase(less, word);
        const auto url = user(less);
        const auto complaint = complaint_of([&] { use_everything(url); });
        if (optional.contains(word)) {
            EXPECT_FALSE(complaint.code) << "without " << word << ": " << complaint.text;
            continue;
        }
        EXPECT_EQ(complaint.code, errc::store_forbidden)
            << "without " << word << ": " << complaint.text;
        EXPECT_THAT(complaint.text, HasSubstr("docs/redis.md")) << "without " << word;
    }
    EXPECT_GT(tried, 20);
}

TEST(redis_acl_rule, names_every_command_that_a_script_calls) {
    const auto rule = documented_rule();
    const std::string_view mark = "call('";
    std::set<std::string> called;
    for (const auto* const each : {&scripts::acquire, &scripts::release, &scripts::beat,
                                   &scripts::withdraw, &scripts::break_lock, &scripts::inspect}) {
        for (auto at = each->text.find(mark); at != std::string_view::npos;
             at = each->text.find(mark, at + 1)) {
            const auto from = at + mark.size();
            std::string word{each->text.substr(from, each->text.find('\'', from) - from)};
            std::ranges::transform(word, word.begin(),
                                   [](unsigned char c) { return std::tolower(c); });
            called.insert(word);
        }
    }
    EXPECT_GT(called.size(), 15U);
    for (const auto& word : called) { EXPECT_THAT(rule, testing::Contains("+" + word)); }
}

/// The rights of a user change while it holds and waits.
class redis_acl_taken_away : public redis_acl {
protected:
    using take = std::function<std::optional<lease>(client&)>;

    /// Checks that the owner that was notified of its grant is the one in the record.
    void hand_over_without(const std::string& command, const take& hold, const take& wait) {
        const auto url = user(documented_rule());
        client first{url, {.connect_wait = 300ms}};
        client second{url, {.connect_wait = 300ms}};
        auto held = hold(first);
        ASSERT_TRUE(held);
        std::optional<lease> next;
        background<complaint> waiting{
            [&](const std::stop_token&) { return complaint_of([&] { next = wait(second); }); }};
        ASSERT_TRUE(eventually([&] { return queued() == 1; }));
        server.command({"ACL", "SETUSER", "locks", "-" + command});
        const auto refused = complaint_of([&] { (void)held->release(); });
        if (refused.code) { EXPECT_EQ(refused.code, errc::store_forbidden) << refused.text; }
        (void)waiting.get();
        if (!next || !next->valid()) { return; } // nobody was told of anything
        const auto seen = look();
        ASSERT_EQ(seen.holders.size(), 1U) << "without " << command;
        EXPECT_EQ(seen.holders[0].owner, next->owner()) << "without " << command;
    }

    const take exclusive = [](client& client) {
        return mutex{client, "stock"}.try_acquire_for(300ms);
    };
    const take writer = [](client& client) {
        return shared_mutex{client, "stock"}.try_acquire_for(300ms);
    };
    const take reader = [](client& client) {
        return shared_mutex{client, "stock"}.try_acquire_shared_for(300ms);
    };
};

TEST_F(redis_acl_taken_away, while_others_wait_never_makes_two_holders) { // P1
    for (const auto* const command : {"set", "setrange", "del", "pexpire", "publish", "hset",
                                      "hget", "hdel", "zadd", "zrem", "zrange", "zcard"}) {
        hand_over_without(command, exclusive, exclusive);
        hand_over_without(command, writer, reader);
        hand_over_without(command, reader, writer);
    }
}

TEST_F(redis_acl_taken_away, from_a_second_reader_leaves_the_first_its_lock) { // P1
    for (const auto* const command : {"set", "pexpire", "zadd", "hset", "zrange"}) {
        auto half = documented_rule();
        half.emplace_back(std::string{"-"} + command);
        seam_client second{user(half)}; // which does not withdraw what it was refused
        auto first = direct();
        auto held = shared_mutex{first, "stock"}.acquire_shared();
        const auto refused =
            second.acquire(second.ticket("stock"),
                           {.kind = primitive::shared_mutex, .mode = mode::shared, .lease = 100ms});
        EXPECT_EQ(refused.error, errc::store_forbidden) << refused.detail;
        std::this_thread::sleep_for(110ms);
        EXPECT_EQ(look().holders.size(), 1U) << "without " << command;
        EXPECT_FALSE((shared_mutex{first, "stock"}.try_acquire())) << "without " << command;
        held.extend(20s);
        EXPECT_TRUE(held.valid()) << "without " << command;
    }
}

TEST_F(redis_acl, without_the_keys_or_the_channels_is_an_error_that_says_so) {
    for (const auto* const word : {"~hf:*", "&hf:*"}) {
        auto less = documented_rule();
        std::erase(less, word);
        const auto url = user(less);
        const auto complaint = complaint_of([&] { use_everything(url); });
        EXPECT_EQ(complaint.code, errc::store_forbidden) << word << ": " << complaint.text;
        EXPECT_THAT(complaint.text, HasSubstr("docs/redis.md")) << word;
        EXPECT_THAT(complaint.text, HasSubstr(*word == '~' ? "key" : "channel")) << word;
    }
}

TEST_F(redis_acl, error_names_the_command_that_is_missing_at_connect) {
    const std::pair<const char*, const char*> greeting[] = {{"+client|reply", "client|reply"},
                                                            {"+subscribe", "subscribe"},
                                                            {"+script|load", "script|load"},
                                                            {"+time", "time"}};
    for (const auto& [word, command] : greeting) {
        auto less = documented_rule();
        std::erase(less, word);
        const auto url = user(less);
        const stopwatch watch;
        const auto complaint = complaint_of([&] { hand_over(url); });
        EXPECT_EQ(complaint.code, errc::store_forbidden) << word << ": " << complaint.text;
        EXPECT_THAT(complaint.text, HasSubstr(command));
        EXPECT_LT(watch.elapsed(), scaled(1s)) << "another try would not help";
    }
}

TEST_F(redis_acl, for_another_prefix_allows_that_one_only) {
    auto rule = documented_rule();
    for (auto& word : rule) {
        if (word == "~hf:*") { word = "~shop/*"; }
        if (word == "&hf:*") { word = "&shop/*"; }
    }
    const auto url = user(rule);
    EXPECT_NO_THROW(use_everything(url + "?prefix=shop/"));
    EXPECT_EQ(complaint_of([&] { use_everything(url); }).code, errc::store_forbidden);
    for (const auto& key : keys()) { EXPECT_TRUE(key.starts_with("shop/")) << key; }
}

TEST_F(redis_acl, without_select_is_an_error_for_those_who_want_another_database) {
    auto less = documented_rule();
    std::erase(less, "+select");
    const auto url = user(less) + "/3";
    const auto complaint = complaint_of([&] { hand_over(url); });
    EXPECT_EQ(complaint.code, errc::store_forbidden) << complaint.text;
}

TEST(redis_password, in_the_url_lets_the_default_user_in) {
    const redis_server server{{.password = "open-sesame"}};
    const auto at = "@127.0.0.1:" + std::to_string(server.port());
    EXPECT_NO_THROW(hand_over("redis://:open-sesame" + at));
    EXPECT_NO_THROW(hand_over("redis://default:open-sesame" + at));
}

TEST(redis_password, may_have_any_byte_if_it_is_written_with_percent_signs) {
    std::string password;
    std::string encoded;
    for (const char c : std::string{"p@ss:w/o?r#d% [x]&=\x01\xff\xc3\xa4"}) {
        password += c;
        constexpr std::string_view digits = "0123456789ABCDEF";
        const auto byte = static_cast<unsigned char>(c);
        encoded += '%';
        encoded += digits[byte >> 4U];
        encoded += digits[byte & 15U];
    }
    redis_server server;
    ASSERT_EQ(server.command({"ACL", "SETUSER", "a:b@c", "on", ">" + password, "~*", "&*", "+@all"})
                  .text(),
              "OK");
    EXPECT_NO_THROW(
        hand_over("redis://a%3ab%40c:" + encoded + "@127.0.0.1:" + std::to_string(server.port())));
}

TEST(redis_address, may_be_a_unix_socket) {
    const redis_server server;
    const auto url = "redis+unix://" + server.unix_path().string();
    EXPECT_NO_THROW(hand_over(url));
    EXPECT_NO_THROW(hand_over(url + "?db=2"));
    EXPECT_NO_THROW(use_everything(url));
}

TEST(redis_address, may_be_a_unix_socket_with_a_password) {
    const redis_server server{{.password = "open-sesame"}};
    const auto path = server.unix_path().string();
    EXPECT_NO_THROW(hand_over("redis+unix://:open-sesame@" + path));
    EXPECT_EQ(complaint_of([&] { hand_over("redis+unix://" + path); }).code, errc::store_forbidden);
}

TEST(redis_address, that_is_no_socket_is_an_error_that_names_it) {
    client nowhere{"redis+unix:///nonexistent/socket", {.connect_wait = 100ms}};
    const auto complaint = complaint_of([&] { (void)mutex{nowhere, "stock"}.acquire(); });
    EXPECT_EQ(complaint.code, errc::unavailable);
    EXPECT_THAT(complaint.text, HasSubstr("/nonexistent/socket"));
}

TEST(redis_address, may_be_of_ipv6) {
    std::optional<redis_server> server;
    try {
        server.emplace(redis_server_options{.arguments = {"--bind", "127.0.0.1", "::1"}});
    } catch (const std::runtime_error& problem) {
        GTEST_SKIP() << "THIS MACHINE HAS NO IPv6, so nothing was tested: " << problem.what();
    }
    EXPECT_NO_THROW(hand_over("redis://[::1]:" + std::to_string(server->port())));
}

TEST(redis_address, may_be_a_host_name) {
    const redis_server server;
    EXPECT_NO_THROW(hand_over("redis://localhost:" + std::to_string(server.port())));
}

} // namespace
} // namespace holdfast::test
