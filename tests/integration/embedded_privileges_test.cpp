// Holders that change their user or their root folder.

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
    std::unique_ptr<child_process> holder(const std::function<void()>& change) {
        return std::make_unique<child_process>([this,
                                                change](const child_process::parent_channel& to) {
            embedded_client me{path};
            to.send(me.acquire("n", 1).status == op_status::granted ? "granted" : "not granted");
            to.wait_for_parent();
            change();
            for (;;) {
                const auto reply = me.ask(engine::beat_op{{{me.ticket_of("n", 1), false, 30s}}});
                if (reply.beats.empty()) {
                    to.send(reply.error.message() + ": " + reply.detail);
                } else {
                    to.send(reply.beats.front().status == op_status::renewed ? "renewed" : "lost");
                }
                to.wait_for_parent();
            }
        });
    }

    void expect_not_free() {
        embedded_client other{path};
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
    ASSERT_EQ(dropped->receive(), "granted");
    for (int times = 0; times < 3; ++times) {
        dropped->resume();
        EXPECT_EQ(dropped->receive(), "renewed");
        expect_not_free();
    }
}

TEST_F(embedded_privileges, P1b_a_holder_that_changes_its_root_keeps_its_lock) {
    const scratch_folder jail;
    const auto jailed = holder([&] { ASSERT_EQ(::chroot(jail.path().c_str()), 0); });
    ASSERT_EQ(jailed->receive(), "granted");
    for (int times = 0; times < 3; ++times) {
        jailed->resume();
        EXPECT_EQ(jailed->receive(), "renewed");
        expect_not_free();
    }
}

TEST_F(embedded_privileges,
       P1b_a_holder_that_may_not_open_the_file_again_gets_an_error_and_counts_as_alive) {
    const auto dropped = holder([] {
        drop_privileges();
        fork_and_wait();
    });
    ASSERT_EQ(dropped->receive(), "granted");
    for (int times = 0; times < 3; ++times) {
        dropped->resume();
        const auto text = dropped->receive();
        EXPECT_NE(text.find(make_error_code(errc::store_forbidden).message()), std::string::npos)
            << text;
        EXPECT_NE(text.find(path), std::string::npos) << text;
        expect_not_free();
    }
}

TEST_F(embedded_privileges, a_holder_that_regains_its_privileges_continues) {
    child_process back{[this](const child_process::parent_channel& to) {
        embedded_client me{path};
        EXPECT_EQ(me.acquire("n", 1).status, op_status::granted);
        drop_privileges();
        fork_and_wait();
        EXPECT_EQ(me.acquire("m", 2).error, errc::store_forbidden);
        EXPECT_EQ(::seteuid(0), 0);
        EXPECT_EQ(me.beat("n", 1, false).status, op_status::renewed);
        to.send("done");
        to.wait_for_parent();
    }};
    ASSERT_EQ(back.receive(), "done");
    expect_not_free();
    back.resume();
    EXPECT_EQ(back.wait(), 0);
}

TEST_F(embedded_privileges, P1b_a_holder_that_finds_no_file_in_its_new_root_counts_as_alive) {
    const scratch_folder jail;
    const auto jailed = holder([&] {
        ASSERT_EQ(::chroot(jail.path().c_str()), 0);
        fork_and_wait();
    });
    ASSERT_EQ(jailed->receive(), "granted");
    for (int times = 0; times < 3; ++times) {
        jailed->resume();
        const auto text = jailed->receive();
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
    ASSERT_EQ(jailed->receive(), "granted");
    std::vector<std::string> heard;
    for (int times = 0; times < 3; ++times) {
        jailed->resume();
        heard.push_back(jailed->receive());
        expect_not_free(); // its lease may still count as valid
    }
    EXPECT_NE(heard.at(0).find(make_error_code(errc::store_replaced).message()), std::string::npos)
        << heard.at(0);
    EXPECT_EQ(heard.at(1), "lost");
}

TEST_F(embedded_privileges,
       a_file_that_is_removed_is_noticed_though_its_folder_may_not_be_searched) {
    const auto dropped = holder(drop_privileges);
    ASSERT_EQ(dropped->receive(), "granted");
    dropped->resume();
    ASSERT_EQ(dropped->receive(), "renewed");
    fs::remove(path);
    dropped->resume();
    const auto text = dropped->receive();
    EXPECT_NE(text.find(make_error_code(errc::store_replaced).message()), std::string::npos)
        << text;
}

// The whole client, with its keeper: for longer than the lease.
TEST_F(embedded_privileges, P1b_nobody_acquires_while_the_lease_of_another_user_is_valid) {
    child_process dropped{[&](const child_process::parent_channel& to) {
        client fleet{"embedded:" + path};
        mutex stock{fleet, "stock"};
        const auto held = stock.acquire({.lease = 600ms});
        drop_privileges();
        to.send("holds");
        to.wait_for_parent();
        to.send(held.valid() ? "valid" : "lost");
    }};
    ASSERT_EQ(dropped.receive(), "holds");
    client fleet{"embedded:" + path};
    mutex stock{fleet, "stock"};
    EXPECT_FALSE(stock.try_acquire_for(1200ms));
    dropped.resume();
    EXPECT_EQ(dropped.receive(), "valid");
}

} // namespace
} // namespace holdfast::test
