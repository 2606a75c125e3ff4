// The judgments of the doctor about the file of the embedded engine, as a table.

#include "holdfast/engine/embedded/checkup.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

namespace holdfast::engine::embedded {

namespace {

constexpr std::uint64_t gibibyte = 1U << 30U;

file_facts good_file() {
    return {.path = "/var/lib/shop/locks.db",
            .exists = true,
            .mode = S_IFREG | 0600,
            .folder_mode = S_IFDIR | 0700,
            .free_bytes = gibibyte};
}

severity judge(void (*change)(file_facts&)) {
    auto facts = good_file();
    change(facts);
    checkup out;
    judge_file(facts, out);
    for (const auto& each : out.findings) {
        EXPECT_EQ(each.remedy.empty(), each.severity == severity::ok) << each.text;
    }
    return worst_of(out.findings);
}

TEST(embedded_doctor, judges_a_file_by_its_place_rights_links_and_space) {
    EXPECT_EQ(judge([](file_facts&) {}), severity::ok);
    EXPECT_EQ(judge([](file_facts& file) { file.exists = false; }), severity::ok);
    EXPECT_EQ(judge([](file_facts& file) { file.mode = S_IFREG | 0660; }), severity::ok);
    EXPECT_EQ(judge([](file_facts& file) { file.mode = S_IFREG | 0664; }), severity::warning);
    EXPECT_EQ(judge([](file_facts& file) { file.mode = S_IFREG | 0666; }), severity::danger);
    EXPECT_EQ(judge([](file_facts& file) { file.folder_mode = S_IFDIR | 0777; }), severity::danger);
    EXPECT_EQ(judge([](file_facts& file) { file.folder_mode = S_IFDIR | S_ISVTX | 0777; }),
              severity::warning);
    EXPECT_EQ(judge([](file_facts& file) { file.can_write = false; }), severity::danger);
    EXPECT_EQ(judge([](file_facts& file) { file.links = 2; }), severity::danger);
    EXPECT_EQ(judge([](file_facts& file) { file.path = "/tmp/locks.db"; }), severity::warning);
    EXPECT_EQ(judge([](file_facts& file) { file.free_bytes = 10U << 20U; }), severity::warning);
    EXPECT_EQ(judge([](file_facts& file) { file.free_bytes = 1U << 20U; }), severity::danger);
}

} // namespace

} // namespace holdfast::engine::embedded
