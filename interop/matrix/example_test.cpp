// The examples of docs/interop.md and docs/migrate.md: both sides share the lock.

#include "matrix.hpp"
#include "quorum_matrix.hpp"
#include "support/sandbox.hpp"

namespace holdfast::interop {

namespace {

/// Expects that the program waits until the holder releases.
void expect_wait_for(driver_process& holder, const words& command) {
    test::sandbox sandbox;
    ASSERT_EQ(holder.ask("try a stock:1001 30500"), "held");
    auto program = sandbox.start(command);
    EXPECT_TRUE(test::throughout(1s, [&] { return !program.has_ended(); }));
    EXPECT_EQ(program.out(), "");
    ASSERT_EQ(holder.ask("release a"), "released");
    const auto end = program.wait();
    EXPECT_EQ(end.code, 0) << end.err;
    EXPECT_EQ(end.out, "sold one\n") << end.err;
}

} // namespace

class example : public matrix {};
HOLDFAST_FOR_ALL_CLIENTS(example);

TEST_P(example, of_theirs_waits_until_we_release) {
    const auto port = std::to_string(server().port());
    expect_wait_for(ours(), {drivers() + "/" + GetParam().name + "/example", port});
}

TEST_P(example, of_ours_waits_until_they_release) {
    const auto port = std::to_string(server().port());
    expect_wait_for(theirs(), {HOLDFAST_INTEROP_EXAMPLE, port, GetParam().name});
}

TEST_P(example, of_the_migration_prints_what_its_page_says) {
    test::sandbox sandbox;
    const auto end = sandbox.run({HOLDFAST_INTEROP_MIGRATE, std::to_string(server().port())});
    EXPECT_EQ(end.code, 0) << end.err;
    EXPECT_EQ(end.out, "sold one\nsold one\nsold one\nsold one\nsold one\nsold one\nsold one\n")
        << end.err;
    server().flush_all(); // the native layout leaves a record
}

class quorum_example : public quorum_matrix {};
HOLDFAST_FOR_ALL_QUORUMS(five_servers_two_dead, quorum_example, {.servers = 5, .dead = 2});

TEST_P(quorum_example, of_theirs_waits_until_we_release) {
    const auto program = drivers() + "/" + GetParam().client.name + "/example";
    expect_wait_for(ours(), {program, group().ports()});
}

TEST_P(quorum_example, of_ours_waits_until_they_release) {
    expect_wait_for(theirs(), {HOLDFAST_INTEROP_EXAMPLE, group().ports(), GetParam().client.name});
}

} // namespace holdfast::interop
