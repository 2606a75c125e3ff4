// `holdfast run --metrics ADDR|FILE`.

#include "cli/cli_fixture.hpp"
#include "support/http_get.hpp"

#include <csignal>
#include <filesystem>
#include <regex>
#include <sys/stat.h>

namespace holdfast::test {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class run_metrics : public cli {
protected:
    /// The address in the message of a command that was started with port 0.
    static std::string address_of(const running_command& job) {
        std::smatch found;
        std::string text;
        const bool printed = eventually([&] {
            text = job.err();
            return std::regex_search(text, found, std::regex{"http://(127.0.0.1:[0-9]+)/metrics"});
        });
        return printed ? found.str(1) : "";
    }
    [[nodiscard]] bool file_gets(const std::string& line) const {
        return eventually(
            [&] { return sandbox_.content("job.prom").find(line) != std::string::npos; });
    }
};

TEST_F(run_metrics, are_served_while_the_command_runs_and_waits) {
    auto job = hold("night\"ly", {"--metrics", "0"});
    const auto address = address_of(job);
    ASSERT_NE(address, "") << job.err();
    const auto text = http_get(address, "/metrics");
    EXPECT_THAT(text, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(text, HasSubstr("\nholdfast_holds{lock=\"night\\\"ly\"} 1\n"));

    auto waiter = start({"--metrics", "127.0.0.1:0", "night\"ly", "--", "true"});
    const auto second = address_of(waiter);
    ASSERT_NE(second, "") << waiter.err();
    EXPECT_TRUE(eventually([&] {
        return http_get(second, "/metrics").find("\nholdfast_waits{lock=\"night\\\"ly\"} 1\n") !=
               std::string::npos;
    }));
    job.signal(SIGTERM);
    EXPECT_EQ(waiter.wait().code, 0);
    EXPECT_EQ(http_get(second, "/metrics"), "") << "nobody listens any more";
}

TEST_F(run_metrics, are_written_to_a_file_at_the_beginning_and_at_the_end) {
    auto job = hold("nightly", {"--metrics", "job.prom"});
    EXPECT_TRUE(file_gets("holdfast_acquires_total{lock=\"nightly\",outcome=\"granted\"} "));
    struct stat status {};
    ASSERT_EQ(::stat(sandbox_.file("job.prom").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0644U) << "node_exporter is another user";
    job.signal(SIGTERM);
    job.wait();
    EXPECT_TRUE(file_gets("\nholdfast_holds{lock=\"nightly\"} 0\n"));
    EXPECT_TRUE(file_gets("\nholdfast_releases_total{lock=\"nightly\",outcome=\"released\"} 1\n"));
    EXPECT_TRUE(file_gets("\nholdfast_hold_seconds_count{lock=\"nightly\"} 1\n"));
    for (const auto& entry : std::filesystem::directory_iterator{sandbox_.file("")}) {
        EXPECT_THAT(entry.path().string(), Not(HasSubstr(".tmp"))) << "a draft was left";
    }
}

TEST_F(run_metrics, of_a_busy_lock_say_so) {
    auto job = hold("nightly");
    EXPECT_EQ(run({"-n", "--metrics", "job.prom", "nightly", "--", "true"}).code, 75);
    EXPECT_TRUE(file_gets("\nholdfast_acquires_total{lock=\"nightly\",outcome=\"busy\"} 1\n"));
}

TEST_F(run_metrics, that_cannot_be_shown_do_not_keep_the_job_from_running) {
    const auto folder = run({"--metrics", "no/such/folder.prom", "x", "--", "echo", "ran"});
    EXPECT_EQ(folder.code, 0);
    EXPECT_THAT(folder.out, HasSubstr("ran"));
    EXPECT_THAT(folder.err, HasSubstr("no metrics: no/such/folder.prom"));

    auto job = hold("first", {"--metrics", "0"});
    const auto address = address_of(job);
    const auto second = run({"--metrics", address, "second", "--", "echo", "ran"});
    EXPECT_EQ(second.code, 0);
    EXPECT_THAT(second.out, HasSubstr("ran"));
    EXPECT_THAT(second.err, HasSubstr("no metrics: metrics address '" + address + "'"));
}

TEST_F(run_metrics, need_an_address_or_a_file) {
    for (const std::string target :
         {"localhost", "host:", "host:http", "999999", "host:65536", "::1:9464"}) {
        const auto end = run({"--metrics", target, "x", "--", "true"});
        EXPECT_EQ(end.code, 64) << target;
        EXPECT_THAT(end.err, HasSubstr("--metrics " + target)) << target;
    }
}

TEST_F(run_metrics, leave_no_descriptor_to_the_command) {
    const auto end = run({"--metrics", "0", "x", "--", "ls", "-l", "/proc/self/fd"});
    EXPECT_EQ(end.code, 0);
    EXPECT_THAT(end.out, Not(HasSubstr("socket:")));
}

} // namespace

} // namespace holdfast::test
