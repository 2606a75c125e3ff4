#include "holdfast/base/clock.hpp"
#include "holdfast/base/ids.hpp"
#include "holdfast/base/process.hpp"
#include "holdfast/base/quote.hpp"
#include "holdfast/base/random.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <set>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace holdfast::base {
namespace {

TEST(ids, are_version_4_uuids_and_can_be_parsed) {
    std::set<std::string> seen;
    for (int i = 0; i < 1'000; ++i) {
        const auto id = client_id::make();
        const auto text = id.text();
        ASSERT_EQ(text.size(), 36U);
        EXPECT_EQ(text[14], '4');
        EXPECT_NE(std::string{"89ab"}.find(text[19]), std::string::npos);
        EXPECT_EQ(client_id::parse(text), id);
        EXPECT_TRUE(seen.insert(text).second);
    }
}

TEST(ids, identify_an_owner_by_client_and_number) {
    const owner_id owner{client_id::make(), 18'446'744'073'709'551'615U};
    EXPECT_EQ(owner_id::parse(owner.text()), owner);
}

TEST(ids, refuse_malformed_text) {
    const auto good = client_id::make().text();
    EXPECT_FALSE(client_id::parse(""));
    EXPECT_FALSE(client_id::parse(good + "0"));
    EXPECT_FALSE(client_id::parse(std::string(36, 'g')));
    auto dashless = good;
    dashless[8] = '0';
    EXPECT_FALSE(client_id::parse(dashless));
    EXPECT_FALSE(owner_id::parse(good));
    EXPECT_FALSE(owner_id::parse(good + ":"));
    EXPECT_FALSE(owner_id::parse(good + ":1x"));
    EXPECT_FALSE(owner_id::parse(good + ":-1"));
    EXPECT_FALSE(owner_id::parse(good + ":99999999999999999999"));
    EXPECT_FALSE(owner_id::parse(good + ";1"));
}

TEST(quote, escapes_bytes_that_are_not_printable) {
    using namespace std::string_literals;
    EXPECT_EQ(quote("stock:1"), "\"stock:1\"");
    EXPECT_EQ(quote("a\"b\\c"), "\"a\\\"b\\\\c\"");
    EXPECT_EQ(quote("\0\n\x7f\xff"s), R"("\x00\x0a\x7f\xff")");
    EXPECT_EQ(quote(std::string(100, 'x')), '"' + std::string(80, 'x') + "...\"");
}

TEST(quote, keeps_letters_and_cuts_between_them) {
    EXPECT_EQ(quote("über-日本"), "\"über-日本\"");
    EXPECT_EQ(quote("\xc2\x9b\xe2\x80\xae"), R"("\xc2\x9b\xe2\x80\xae")") << "controls";
    EXPECT_EQ(quote("\xc0\x80\xed\xa0\x80"), R"("\xc0\x80\xed\xa0\x80")") << "no UTF-8";
    EXPECT_EQ(quote(std::string(79, 'x') + "ü"), '"' + std::string(79, 'x') + "...\"");
    EXPECT_EQ(quote(std::string(78, 'x') + "ü"), '"' + std::string(78, 'x') + "ü\"");
}

TEST(clock, saturates_instead_of_overflowing) {
    EXPECT_EQ(later(never, milliseconds{1}), never);
    EXPECT_EQ(later(never - milliseconds{1}, milliseconds{2}), never);
    EXPECT_EQ(later(instant{}, duration::max()), never);
    EXPECT_EQ(later(instant{milliseconds{5}}, milliseconds{2}), instant{milliseconds{7}});
}

TEST(clock, never_goes_back) {
    const auto before = boot_clock::now();
    const auto between = system_time().now();
    EXPECT_LE(before, between);
    EXPECT_LE(between, boot_clock::now());
    EXPECT_GT(system_time().wall_us(), 1'700'000'000'000'000);
}

TEST(jitter, returns_every_number_below_the_bound) {
    jitter chance{1};
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 1'000; ++i) { seen.insert(chance.below(7)); }
    EXPECT_EQ(seen, (std::set<std::uint64_t>{0, 1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(chance.below(0), 0U);
}

TEST(process, has_another_generation_after_a_fork) {
    const auto before = process_generation();
    const auto child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) { ::_exit(process_generation() == before ? 1 : 0); }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(process_generation(), before);
}

TEST(process, starts_threads_with_a_name_and_all_signals_blocked) {
    std::string name(16, '\0');
    sigset_t blocked;
    sigset_t before;
    sigset_t after;
    ::sigemptyset(&blocked);
    ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
    library_thread("holdfast-test", [&] {
        ::pthread_getname_np(::pthread_self(), name.data(), name.size());
        ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    }).join();
    ::pthread_sigmask(SIG_SETMASK, nullptr, &after);
    EXPECT_STREQ(name.c_str(), "holdfast-test");
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGUSR1, SIGALRM}) {
        EXPECT_EQ(::sigismember(&blocked, signal), 1);
        EXPECT_EQ(::sigismember(&after, signal), ::sigismember(&before, signal));
    }
}

} // namespace
} // namespace holdfast::base
