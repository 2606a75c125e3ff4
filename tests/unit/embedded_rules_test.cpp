// The rules of the embedded engine that need no file: URLs, file systems, errors, messages.

#include "holdfast/engine/embedded/companion_files.hpp"
#include "holdfast/engine/embedded/embedded.hpp"
#include "holdfast/engine/embedded/failure.hpp"
#include "holdfast/engine/embedded/fifo_inbox.hpp"
#include "holdfast/engine/embedded/file_system.hpp"
#include "holdfast/engine/embedded/location.hpp"

#include <holdfast/error.hpp>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cerrno>

namespace holdfast::engine::embedded {
namespace {

std::string refusal(const std::string& text) {
    try {
        (void)parse_location(url::parse(text));
    } catch (const error& why) {
        EXPECT_EQ(why.code(), errc::invalid_url);
        return why.what();
    }
    return {};
}

TEST(embedded_url, takes_the_default_and_absolute_paths) {
    EXPECT_EQ(parse_location(url::parse("embedded:")).path, "");
    EXPECT_EQ(parse_location(url::parse("embedded:")).mode, 0600U);
    EXPECT_EQ(parse_location(url::parse("embedded:/var/lib/app/locks.db")).path,
              "/var/lib/app/locks.db");
    EXPECT_EQ(parse_location(url::parse("embedded:/a%20b%3f")).path, "/a b?");
    EXPECT_EQ(parse_location(url::parse("embedded:/a?mode=0660")).mode, 0660U);
    EXPECT_EQ(parse_location(url::parse("embedded:?mode=600")).mode, 0600U);
}

TEST(embedded_url, refuses_paths_that_processes_would_resolve_differently) {
    EXPECT_NE(refusal("embedded:locks.db").find("relative"), std::string::npos);
    EXPECT_NE(refusal("embedded:./locks.db").find("relative"), std::string::npos);
    EXPECT_NE(refusal("embedded://host/locks.db").find("server"), std::string::npos);
    EXPECT_NE(refusal("embedded:/folder/").find("folder"), std::string::npos);
    EXPECT_NE(refusal("embedded:/" + std::string(5000, 'x')).find("longer"), std::string::npos);
    EXPECT_NE(refusal("embedded:/a%00b").find("NUL"), std::string::npos);
}

TEST(embedded_url, never_quotes_the_password_of_a_url_in_the_wrong_place) {
    for (const char* text : {"embedded:redis://user:secret@host", "embedded:/r//user:secret@host/",
                             "embedded:/a?mode=redis://user:secret@host"}) {
        const auto message = refusal(text);
        EXPECT_EQ(message.find("secret"), std::string::npos) << message;
        EXPECT_NE(message.find("host"), std::string::npos) << message;
    }
}

TEST(embedded_url, refuses_modes_with_access_for_others) {
    for (const char* mode : {"0666", "0640", "0644", "0777", "0", "", "-1", "0600x", "rw"}) {
        EXPECT_NE(refusal(std::string{"embedded:/a?mode="} + mode).find("mode"), std::string::npos)
            << mode;
    }
    EXPECT_NE(refusal("embedded:/a?mod=0600").find("mod"), std::string::npos);
}

TEST(embedded_url, makes_an_engine_without_touching_the_file) {
    const auto made = make(url::parse("embedded:/nonexistent/locks.db"), this_process());
    ASSERT_NE(made, nullptr);
    for (const auto kind : {primitive::mutex, primitive::shared_mutex, primitive::semaphore}) {
        const auto can = made->caps(kind);
        EXPECT_TRUE(can.supported && can.fifo && can.fencing && can.min_hold);
        EXPECT_TRUE(can.frees_dead_at_once);
        EXPECT_EQ(can.queue, queueing::grant);
    }
}

TEST(embedded_file_system, distinguishes_network_file_systems_from_local_ones) {
    for (const std::uint64_t magic :
         {0x6969U, 0x517bU, 0xff534d42U, 0xfe534d42U, 0x01021997U, 0x65735546U, 0x00c36400U,
          0x5346414fU, 0x6b414653U, 0x0bd00bd0U, 0x01161970U, 0x7461636fU}) {
        EXPECT_TRUE(unsuitable_file_system(magic)) << std::hex << magic;
    }
    // ext4, xfs, btrfs, tmpfs, overlayfs, zfs, f2fs
    for (const std::uint64_t magic :
         {0xef53U, 0x58465342U, 0x9123683eU, 0x01021994U, 0x794c7630U, 0x2fc12fc1U, 0xf2f52010U}) {
        EXPECT_FALSE(unsuitable_file_system(magic)) << std::hex << magic;
    }
}

TEST(embedded_file_system, detects_a_shifted_boot_clock) {
    EXPECT_FALSE(has_boottime_offset(""));
    EXPECT_FALSE(
        has_boottime_offset("monotonic           0         0\nboottime            0         0\n"));
    EXPECT_FALSE(
        has_boottime_offset("monotonic          10         0\nboottime            0         0\n"));
    EXPECT_TRUE(
        has_boottime_offset("monotonic           0         0\nboottime       864000         0\n"));
    EXPECT_TRUE(
        has_boottime_offset("monotonic           0         0\nboottime           -1         0\n"));
    EXPECT_TRUE(
        has_boottime_offset("boottime            0       500\nmonotonic           0         0\n"));
}

TEST(embedded_errors, map_each_sqlite_result_to_a_code) {
    EXPECT_EQ(errc_of_sqlite(SQLITE_FULL, 0), errc::store_full);
    EXPECT_EQ(errc_of_sqlite(SQLITE_IOERR_WRITE, EDQUOT), errc::store_full);
    EXPECT_EQ(errc_of_sqlite(SQLITE_IOERR_WRITE, EFBIG), errc::store_full);
    EXPECT_EQ(errc_of_sqlite(SQLITE_IOERR_SHMSIZE, 0), errc::store_full);
    EXPECT_EQ(errc_of_sqlite(SQLITE_IOERR_READ, EIO), errc::store_damaged);
    EXPECT_EQ(errc_of_sqlite(SQLITE_IOERR_SHORT_READ, 0), errc::store_damaged);
    EXPECT_EQ(errc_of_sqlite(SQLITE_CORRUPT, 0), errc::store_damaged);
    EXPECT_EQ(errc_of_sqlite(SQLITE_NOTADB, 0), errc::store_foreign);
    EXPECT_EQ(errc_of_sqlite(SQLITE_READONLY, 0), errc::store_forbidden);
    EXPECT_EQ(errc_of_sqlite(SQLITE_CANTOPEN, EACCES), errc::store_forbidden);
    EXPECT_EQ(errc_of_sqlite(SQLITE_CANTOPEN, EMFILE), errc::unavailable);
    EXPECT_EQ(errc_of_sqlite(SQLITE_BUSY_RECOVERY, 0), errc::unavailable);
    EXPECT_EQ(errc_of_sqlite(SQLITE_NOMEM, 0), errc::unavailable);
    EXPECT_EQ(errc_of_sqlite(SQLITE_MISUSE, 0), errc::internal);
}

TEST(embedded_inbox, decodes_the_message_that_was_encoded) {
    const notice notice{notice::kind::granted, 0x1122334455667788, 1794775732436300};
    const auto read = decode_notice(encode(notice));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->type, notice.type);
    EXPECT_EQ(read->number, notice.number);
    EXPECT_EQ(read->token, notice.token);
}

TEST(embedded_inbox, refuses_garbage) {
    message text = encode(notice{notice::kind::broken, 1, 2});
    EXPECT_FALSE(decode_notice(std::span{text}.first(23)));
    message other = text;
    other[0] = std::byte{'x'};
    EXPECT_FALSE(decode_notice(other));
    other = text;
    other[2] = std::byte{2};
    EXPECT_FALSE(decode_notice(other));
    other = text;
    other[3] = std::byte{4};
    EXPECT_FALSE(decode_notice(other));
}

TEST(embedded_companion_files, folders_are_searchable_by_whoever_may_read_files) {
    EXPECT_EQ(folder_mode(0600), 0700U);
    EXPECT_EQ(folder_mode(0660), 0770U);
    EXPECT_EQ(folder_mode(0100640), 0750U);
}

} // namespace
} // namespace holdfast::engine::embedded
