// Output that cannot be written, and limits on file sizes.

#include "cli/cli_fixture.hpp"

#include <csignal>
#include <sys/resource.h>

namespace holdfast::test {

namespace {

using ::testing::HasSubstr;

class output : public cli {};

TEST_F(output, that_cannot_be_written_is_a_failure_of_every_command) {
    for (const std::string line :
         {"--help", "run --help", "--version", "man", "completion bash", "demo"}) {
        for (const std::string where : {" > /dev/full", " >&-"}) {
            const auto end = shell("$holdfast " + (line + where));
            EXPECT_EQ(end.code, 70) << line << where;
            EXPECT_THAT(end.err, HasSubstr("could not be written")) << line << where;
        }
    }
}

TEST_F(output, that_is_closed_is_not_replaced_by_another_file) {
    const auto end = shell("exec 0<&- 1>&-; $holdfast run x -- true && $holdfast acquire x; "
                           "$holdfast run -n x -- true");
    EXPECT_EQ(end.code, 0) << end.err;
}

class file_size_limit : public cli {
protected:
    static void set_limit(pid_t pid, rlim_t bytes) {
        const rlimit limit{bytes, RLIM_INFINITY};
        EXPECT_EQ(::prlimit(pid, RLIMIT_FSIZE, &limit, nullptr), 0);
    }
};

TEST_F(file_size_limit, is_an_error_of_the_engine_and_does_not_kill_the_guardian) {
    const auto end =
        shell("(ulimit -f 0; $holdfast run x -- true; exit) 2>&1 | cat; exit ${PIPESTATUS[0]}");
    EXPECT_EQ(end.code, 69) << end.out;
    EXPECT_THAT(end.out, HasSubstr("make room"));
    const auto script =
        shell("(ulimit -f 0; $holdfast acquire x; exit) 2>&1 | cat; exit ${PIPESTATUS[0]}");
    EXPECT_EQ(script.code, 69) << script.out;
}

TEST_F(file_size_limit, that_prevents_the_release_does_not_change_the_exit_code) {
    auto job = hold("x");
    set_limit(guardian_of(job.pid()), 0);
    job.signal(SIGTERM);
    EXPECT_EQ(job.wait().code, 143) << "the command's";
    EXPECT_EQ(sandbox_.left_over(), "");
}

} // namespace

} // namespace holdfast::test
