// A name is any 1 to 512 bytes; names differ if any byte does.
#include "contract/contract.hpp"

#include <set>

namespace {

using namespace holdfast::test;
using holdfast::errc;

HOLDFAST_CONTRACT(names);

/// All pages: on a quorum a name may be on a later one.
std::vector<holdfast::lock_info> list_all(const holdfast::client& fleet) {
    std::vector<holdfast::lock_info> out;
    holdfast::list_options page{.count = 1000};
    do {
        auto found = holdfast::admin{fleet}.list(page);
        std::move(found.locks.begin(), found.locks.end(), std::back_inserter(out));
        page.cursor = found.cursor;
    } while (!page.cursor.empty());
    return out;
}

TEST_P(names, of_one_byte_are_256_different_locks) { // P1
    auto fleet = connect();
    auto rival = connect();
    std::vector<holdfast::lease> held;
    std::set<std::string> expected;
    for (int byte = 0; byte < 256; ++byte) {
        const std::string name(1, static_cast<char>(byte));
        auto lease = holdfast::mutex{fleet, name}.try_acquire();
        ASSERT_TRUE(lease) << byte;
        EXPECT_EQ(lease->name(), name);
        held.push_back(std::move(*lease));
        expected.insert(name);
        EXPECT_FALSE((holdfast::mutex{rival, name}.try_acquire())) << byte;
    }
    HOLDFAST_NEEDS(can().lists);
    std::set<std::string> listed;
    for (const auto& lock : list_all(rival)) {
        EXPECT_EQ(lock.holders.size(), 1U);
        listed.insert(lock.name);
    }
    EXPECT_EQ(listed, expected);
}

TEST_P(names, with_every_byte_value_can_be_waited_for_inspected_and_broken) { // P1
    std::string name;
    for (int byte = 0; byte < 256; ++byte) { name.push_back(static_cast<char>(byte)); }
    auto fleet = connect();
    auto rival = connect();
    auto held = holdfast::mutex{fleet, name}.acquire();
    background waiter{[&](std::stop_token stop) {
        return holdfast::mutex{rival, name}.acquire({.stop = stop});
    }};
    ASSERT_TRUE(will_wait(name, 1));
    EXPECT_EQ(look(name).name, name);
    held.release();
    const auto next = waiter.get();
    EXPECT_EQ(next.name(), name);
    EXPECT_TRUE(holdfast::admin{fleet}.break_lock(name));
}

TEST_P(names, of_512_bytes_differ_by_their_last_byte) { // P1
    auto fleet = connect();
    const std::string head(511, '\xff');
    const auto first = holdfast::mutex{fleet, head + 'a'}.acquire();
    const auto other = holdfast::mutex{fleet, head + 'b'}.try_acquire();
    EXPECT_TRUE(other);
    EXPECT_FALSE((holdfast::mutex{fleet, head + 'a'}.try_acquire()));
    EXPECT_EQ(look(head + 'a').name, head + 'a');
}

TEST_P(names, that_look_alike_are_different_locks) { // P1
    auto fleet = connect();
    std::vector<holdfast::lease> held;
    const std::vector<std::string> alike{
        "a",         "A",      " a",   "a ",   "a/",    "/a",   "a\n", {"a\0", 2},
        "a%00",      "a%2F",   "a%2f", "%61",  "{a}",   "{a",   "a}",  "}a",
        "a:queue",   "a:lock", "a:",   "'a'",  "\"a\"", "a*",   "a?",  "\xc3\xa4",
        "a\xcc\x88", "\xe4",   ".",    "..",   "a\\",   "0",    "00",  "-0",
        "+0",        "0.0",    "1e3",  "1000", "NULL",  "null", "nil", "true"};
    for (const auto& name : alike) {
        auto lease = holdfast::mutex{fleet, name}.try_acquire();
        ASSERT_TRUE(lease) << name;
        held.push_back(std::move(*lease));
    }
    HOLDFAST_NEEDS(can().lists);
    EXPECT_EQ(list_all(fleet).size(), alike.size());
}

TEST_P(names, that_are_empty_or_too_long_are_refused_by_the_constructor) { // P9
    auto fleet = connect();
    for (const auto& bad : {std::string{}, std::string(513, 'x'), std::string(100'000, 'x')}) {
        EXPECT_EQ(failure_of([&] { holdfast::mutex{fleet, bad}; }), errc::invalid_name);
        EXPECT_EQ(failure_of([&] { holdfast::recursive_mutex{fleet, bad}; }), errc::invalid_name);
        EXPECT_EQ(failure_of([&] { holdfast::shared_mutex{fleet, bad}; }), errc::invalid_name);
        EXPECT_EQ(failure_of([&] {
                      holdfast::counting_semaphore{fleet, bad, 2};
                  }),
                  errc::invalid_name);
    }
    EXPECT_EQ(failure_of([&] {
                  holdfast::mutex{fleet, std::string(512, 'x')};
              }),
              std::error_code{});
}

} // namespace
