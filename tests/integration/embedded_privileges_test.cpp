// Holders that change their user or their root while they hold.

#include "embedded_support.hpp"

#include <holdfast/client.hpp>
#include <holdfast/error.hpp>
#include <holdfast/mutex.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace holdfast::test {
namespace {

using engine::op_status;
namespace fs = std::filesystem;

constexpr uid_t nobody = 65534;

/// A store in a folder that only root may enter, and a process that holds "n" in it and does as it
/// is told.
class embedded_privileges : public testing::Test {
protected:
    void SetUp() override {
        if (::geteuid() != 0) { GTEST_SKIP() << "only root can become another user"; }
        ASSERT_EQ(::chmod(folder.path().c_str(), 0700), 0);
    }

    /// `change` comes between the grant and the first renewal.
    std::unique_ptr<child> holder(const std::function<void()>& change) {
        return std::make_unique<child>([this, change](const child::mouth& to) {
            asker me{path};
            to.say(me.acquire("n", 1).status == op_status::granted ? "granted" : "not granted");
            to.listen();
            change();
            for (;;) {
                const auto reply = me.ask(engine::beat_op{{{me.mine("n", 1), false, 30s}}});
                if (reply.beats.empty()) {
                    to.say(reply.error.message() + ": " + reply.detail);
                } else {
                    to.say(reply.beats.front().status == op_status::renewed ? "renewed" : "lost");
                }
                to.listen();
            }
        });
    }

    void expect_not_free() {
        asker other{path};
        EXPECT_EQ(other.acquire("n", 1).status, op_status::busy);
    }

    const scratch_folder folder;
    const std::string path = folder / "locks.db";
};

void drop_privileges() { ASSERT_EQ(::seteuid(nobody), 0); }

/// Closes the connection to the database, see fork_watch.
void fork_and_wait() {
    const pid_t forked = ::fork();
    if (forked == 0) { ::_exit(0); }
    ASSERT_EQ(::waitpid(forked, nullptr, 0), forked);
}

TEST_F(embedded_privileges, P1b_a_holder_that_becomes_another_user_keeps_its_lock) {
    const auto dropped = holder(drop_privileges);
    ASSERT_EQ(dropped->hear(), "granted");
    for (int times = 0; times < 3; ++times) {
        dropped->answer();
        EXPECT_EQ(dropped->hear(), "renewed");
        expect_not_free();
    }
}

TEST_F(embedded_privileges, P1b_a_holder_that_changes_its_root_keeps_its_lock) {
    const scratch_folder jail;
    const auto jailed = holder([&] { ASSERT_EQ(::chroot(jail.path().c_str()), 0); });
    ASSERT_EQ(jailed->hear(), "granted");
    for (int times = 0; times < 3; ++times) {
        jailed->answer();
        EXPECT_EQ(jailed->hear(), "renewed");
        expect_not_free();
    }
}

TEST_F(embedded_privileges,
       P1b_a_holder_that_may_not_open_the_file_again_gets_an_error_and_counts_as_alive) {
    const auto dropped = holder([] {
        drop_privileges();
        fork_and_wait();
    });
    ASSERT_EQ(dropped->hear(), "granted");
    for (int times = 0; times < 3; ++times) {
        dropped->answer();
        const auto text = dropped->hear();
        EXPECT_NE(text.find(make_error_code(errc::store_forbidden).message()), std::string::npos)
            << text;
        EXPECT_NE(text.find(path), std::string::npos) << text;
        expect_not_free();
    }
}

TEST_F(embedded_privileges, a_holder_that_regains_its_privileges_continues) {
    child back{[this](const child::mouth& to) {
        asker me{path};
        EXPECT_EQ(me.acquire("n", 1).status, op_status::granted);
        drop_privileges();
        fork_and_wait();
        EXPECT_EQ(me.acquire("m", 2).error, errc::store_forbidden);
        EXPECT_EQ(::seteuid(0), 0);
        EXPECT_EQ(me.beat("n", 1, false).status, op_status::renewed);
        to.say("done");
        to.listen();
    }};
    ASSERT_EQ(back.hear(), "done");
    expect_not_free();
    back.answer();
    EXPECT_EQ(back.wait(), 0);
}

TEST_F(embedded_privileges, P1b_a_holder_that_finds_no_file_in_its_new_root_counts_as_alive) {
    const scratch_folder jail;
    const auto jailed = holder([&] {
        ASSERT_EQ(::chroot(jail.path().c_str()), 0);
        fork_and_wait();
    });
    ASSERT_EQ(jailed->hear(), "granted");
    for (int times = 0; times < 3; ++times) {
        jailed->answer();
        const auto text = jailed->hear();
        EXPECT_NE(text.find(path), std::string::npos) << text;
        expect_not_free();
    }
}

TEST_F(embedded_privileges, P1b_a_holder_that_finds_another_file_in_its_new_root_counts_as_alive) {
    const scratch_folder jail;
    fs::create_directories(jail.path() + folder.path());
    const auto jailed = holder([&] {
        ASSERT_EQ(::chroot(jail.path().c_str()), 0);
        fork_and_wait();
    });
    ASSERT_EQ(jailed->hear(), "granted");
    std::vector<std::string> heard;
    for (int times = 0; times < 3; ++times) {
        jailed->answer();
        heard.push_back(jailed->hear());
        expect_not_free(); // its lease may still count as valid
    }
    EXPECT_NE(heard.at(0).find(make_error_code(errc::store_replaced).message()), std::string::npos)
        << heard.at(0);
    EXPECT_EQ(heard.at(1), "lost");
}

TEST_F(embedded_privileges,
       a_file_that_is_removed_is_noticed_though_its_folder_may_not_be_searched) {
    const auto dropped = holder(drop_privileges);
    ASSERT_EQ(dropped->hear(), "granted");
    dropped->answer();
    ASSERT_EQ(dropped->hear(), "renewed");
    fs::remove(path);
    dropped->answer();
    const auto text = dropped->hear();
    EXPECT_NE(text.find(make_error_code(errc::store_replaced).message()), std::string::npos)
        << text;
}

// The whole client, with its keeper: for longer than the lease.
TEST_F(embedded_privileges, P1b_nobody_acquires_while_the_lease_of_another_user_is_valid) {
    child dropped{[&](const child::mouth& to) {
        client fleet{"embedded:" + path};
        mutex stock{fleet, "stock"};
        const auto held = stock.acquire({.lease = 600ms});
        drop_privileges();
        to.say("holds");
        to.listen();
        to.say(held.valid() ? "valid" : "lost");
    }};
    ASSERT_EQ(dropped.hear(), "holds");
    client fleet{"embedded:" + path};
    mutex stock{fleet, "stock"};
    EXPECT_FALSE(stock.try_acquire_for(1200ms));
    dropped.answer();
    EXPECT_EQ(dropped.hear(), "valid");
}

} // namespace
} // namespace holdfast::test
