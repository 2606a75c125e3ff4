// The code that docs/interop.md and docs/migrate.md show: both sides do share the lock.

#include "matrix.hpp"
#include "support/scene.hpp"

namespace holdfast::interop {

class example : public matrix {
protected:
    /// The program is kept out until the holder releases.
    void expect_it_waits_for(driver_process& holder, const words& command) {
        ASSERT_EQ(holder.ask("try a stock:1001 30500"), "held");
        auto program = stage_.start(command);
        EXPECT_TRUE(test::throughout(2s, [&] { return !program.over(); }));
        EXPECT_EQ(program.out(), "");
        ASSERT_EQ(holder.ask("release a"), "released");
        const auto end = program.wait();
        EXPECT_EQ(end.code, 0) << end.err;
        EXPECT_EQ(end.out, "sold one\n") << end.err;
    }

    test::scene stage_;
};
HOLDFAST_FOR_ALL_CLIENTS(example);

TEST_P(example, of_theirs_waits_until_we_release) {
    const auto port = std::to_string(server().port());
    expect_it_waits_for(ours(), {drivers() + "/" + GetParam().name + "/example", port});
}

TEST_P(example, of_ours_waits_until_they_release) {
    const auto port = std::to_string(server().port());
    expect_it_waits_for(theirs(), {HOLDFAST_INTEROP_EXAMPLE, port, GetParam().name});
}

TEST_P(example, of_the_migration_does_what_it_shows) {
    const auto end = stage_.run({HOLDFAST_INTEROP_MIGRATE, std::to_string(server().port())});
    EXPECT_EQ(end.code, 0) << end.err;
    EXPECT_EQ(end.out, "sold one\nsold one\nsold one\nsold one\nsold one\n") << end.err;
    server().flush_all(); // of the native layout a record stays
}

} // namespace holdfast::interop
