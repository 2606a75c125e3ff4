// The judgments of the doctor about the nodes of a quorum, and diagnose() of memory:.

#include "holdfast/engine/quorum/checkup.hpp"

#include <holdfast/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::engine::quorum {

namespace {

severity judge(const std::vector<std::string>& hosts, std::size_t usable) {
    std::vector<url> nodes;
    for (const auto& host : hosts) { nodes.push_back(url::parse("redis://u:p@" + host)); }
    checkup out;
    judge_nodes(nodes, usable, out);
    return worst_of(out.findings);
}

TEST(quorum_doctor, judges_nodes_by_their_number_machines_and_how_many_can_serve) {
    EXPECT_EQ(judge({"a", "b", "c"}, 3), severity::ok);
    EXPECT_EQ(judge({"a", "b", "c"}, 2), severity::warning);
    EXPECT_EQ(judge({"a", "b", "c"}, 1), severity::danger);
    EXPECT_EQ(judge({"a", "b", "c", "d"}, 4), severity::warning) << "an even number";
    EXPECT_EQ(judge({"a"}, 1), severity::warning) << "one node survives no loss";
    EXPECT_EQ(judge({"a:1", "a:2", "b:1"}, 3), severity::warning) << "two on one machine";
}

TEST(quorum_doctor, examines_nodes_of_any_engine_and_tries_a_lock) {
    const auto findings =
        diagnose("quorum:?node=memory%3Adoctor1&node=memory%3Adoctor2&node=memory%3Adoctor3");
    EXPECT_EQ(worst_of(findings), severity::warning) << "all are on one machine";
    EXPECT_EQ(findings.back().check, "trial");
    EXPECT_EQ(findings.back().severity, severity::ok) << findings.back().text;
}

TEST(quorum_doctor, refuses_urls_that_no_client_can_be_made_from) {
    EXPECT_THROW((void)diagnose("nonsense"), error);
    EXPECT_THROW((void)diagnose("memory:", {.timeout = std::chrono::milliseconds{0}}), error);
    EXPECT_EQ(worst_of(diagnose("memory:doctor")), severity::ok);
}

} // namespace

} // namespace holdfast::engine::quorum
