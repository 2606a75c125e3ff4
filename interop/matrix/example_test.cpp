// The examples of docs/interop.md and docs/migrate.md: both sides share the lock.

#include "matrix.hpp"
#include "support/sandbox.hpp"

namespace holdfast::interop {

class example : public matrix {
protected:
    /// Expects that the program waits until the holder releases.
    void expect_wait_for(driver_process& holder, const words& command) {
        ASSERT_EQ(holder.ask("try a stock:1001 30500"), "held");
        auto program = sandbox_.start(command);
        EXPECT_TRUE(test::throughout(2s, [&] { return !program.has_ended(); }));
        EXPECT_EQ(program.out(), "");
        ASSERT_EQ(holder.ask("release a"), "released");
        const auto end = program.wait();
        EXPECT_EQ(end.code, 0) << end.err;
        EXPECT_EQ(end.out, "sold one\n") << end.err;
    }

    test::sandbox sandbox_;
};
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
    const auto end = sandbox_.run({HOLDFAST_INTEROP_MIGRATE, std::to_string(server().port())});
    EXPECT_EQ(end.code, 0) << end.err;
    EXPECT_EQ(end.out, "sold one\nsold one\nsold one\nsold one\nsold one\nsold one\nsold one\n")
        << end.err;
    server().flush_all(); // the native layout leaves a record
}

} // namespace holdfast::interop
