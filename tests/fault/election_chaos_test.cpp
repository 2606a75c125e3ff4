// compiled alone
// Leaders that are killed, stopped and cut off from the server: never two valid at once, terms
// rise, and the next leader comes in time. By hand for a minute: HOLDFAST_ELECTION_SECONDS=60.

#include "holdfast/base/clock.hpp"
#include "holdfast/base/fd.hpp"
#include "proxy/proxy.hpp"
#include "support/environment.hpp"
#include "support/redis_server.hpp"
#include "support/scratch_folder.hpp"
#include "support/timing.hpp"

#include <holdfast/holdfast.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace holdfast::test {
namespace {

constexpr milliseconds lease{1500};
constexpr milliseconds most_without_leader = lease + 1000ms;

std::int64_t now_ns() { return base::boot_clock::now().time_since_epoch().count(); }

/// A process of its own, behind a proxy of its own.
class candidate {
public:
    candidate(std::uint16_t server_port, const std::string& file) : between_{server_port} {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) { throw std::runtime_error{"pipe2"}; }
        const base::fd reading{ends[0]};
        input_ = base::fd{ends[1]};
        std::vector<std::string> words{HOLDFAST_ELECTION_CANDIDATE, between_.url() + "?timeout=500",
                                       "scheduler", std::to_string(lease.count()), file};
        std::vector<char*> pointers;
        for (auto& word : words) { pointers.push_back(word.data()); }
        pointers.push_back(nullptr);
        ::posix_spawn_file_actions_t actions;
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawn_file_actions_adddup2(&actions, reading.get(), STDIN_FILENO);
        const int failed =
            ::posix_spawn(&pid_, words[0].c_str(), &actions, nullptr, pointers.data(), environ);
        ::posix_spawn_file_actions_destroy(&actions);
        if (failed != 0) { throw std::runtime_error{"posix_spawn"}; }
    }
    candidate(const candidate&) = delete;
    candidate& operator=(const candidate&) = delete;
    ~candidate() { kill(); }

    void kill() {
        if (pid_ <= 0) { return; }
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }
    void stop() const { ::kill(pid_, SIGSTOP); }
    void resume() const { ::kill(pid_, SIGCONT); }
    void cut_off() {
        between_.silence_new();
        between_.half_open();
    }
    void reconnect() {
        between_.serve_new();
        between_.cut();
    }
    [[nodiscard]] ::pid_t pid() const noexcept { return pid_; }

private:
    proxy between_;
    base::fd input_;
    ::pid_t pid_ = -1;
};

/// What the leaders have written.
struct term_record {
    std::int64_t first = 0; ///< upper bound of the first instant at which it was valid
    std::int64_t last = 0;  ///< lower bound of the last one
    ::pid_t pid = 0;
};

std::map<std::uint64_t, term_record> read_terms(const std::string& file) {
    std::map<std::uint64_t, term_record> out;
    std::ifstream lines{file};
    std::uint64_t term = 0;
    std::int64_t before = 0;
    std::int64_t after = 0;
    ::pid_t pid = 0;
    while (lines >> term >> before >> after >> pid) {
        auto& record = out[term];
        if (record.first == 0) { record = {after, before, pid}; }
        record.last = std::max(record.last, before);
    }
    return out;
}

TEST(election_chaos, never_has_two_leaders_and_soon_has_one) { // P1, P3
    const auto span = std::chrono::seconds{
        number_from_environment("HOLDFAST_ELECTION_SECONDS", by_run_length(12UL, 60UL))};
    const auto seed = seed_of_this_run();
    std::mt19937 random{seed};
    redis_server server;
    const scratch_folder folder;
    const auto file = folder / "terms";
    std::vector<std::unique_ptr<candidate>> all;
    const auto add = [&] { all.push_back(std::make_unique<candidate>(server.port(), file)); };
    for (int i = 0; i < 4; ++i) { add(); }

    std::uint64_t last_term = 0;
    milliseconds longest{0};
    std::array<int, 3> faults{};
    const auto end = std::chrono::steady_clock::now() + span;
    const auto new_leader = [&](std::int64_t since) {
        const bool found = eventually(
            [&] {
                const auto terms = read_terms(file);
                return !terms.empty() && terms.rbegin()->first > last_term;
            },
            lease + long_wait);
        EXPECT_TRUE(found) << "nobody leads; seed " << seed;
        const auto terms = read_terms(file);
        if (!found || terms.empty()) { return false; }
        last_term = terms.rbegin()->first;
        const auto gap = std::chrono::duration_cast<milliseconds>(
            std::chrono::nanoseconds{terms.rbegin()->second.first - since});
        if (since != 0) { longest = std::max(longest, gap); }
        return true;
    };
    ASSERT_TRUE(new_leader(0));
    while (std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(milliseconds{100 + random() % 300});
        const auto leader = read_terms(file).rbegin()->second.pid;
        const auto at = std::find_if(all.begin(), all.end(),
                                     [&](const auto& each) { return each->pid() == leader; });
        ASSERT_NE(at, all.end());
        const auto since = now_ns();
        const auto fault = random() % 3;
        ++faults.at(fault);
        if (fault == 0) { (*at)->kill(); }
        if (fault == 1) { (*at)->stop(); }
        if (fault == 2) { (*at)->cut_off(); }
        ASSERT_TRUE(new_leader(since));
        if (fault == 0) {
            all.erase(at);
            add();
        }
        if (fault == 1) { (*at)->resume(); }
        if (fault == 2) { (*at)->reconnect(); }
    }
    all.clear();

    const auto terms = read_terms(file);
    const term_record* former = nullptr;
    for (const auto& [term, record] : terms) {
        if (former != nullptr) {
            EXPECT_LE(former->last, record.first)
                << "P1: two leaders were valid at once, the second with term " << term << "; seed "
                << seed;
        }
        former = &record;
    }
    EXPECT_LE(longest, scaled(most_without_leader)) << "seed " << seed;
    std::cout << terms.size() << " terms; killed " << faults[0] << ", stopped " << faults[1]
              << ", cut off " << faults[2] << "; longest without a leader " << longest.count()
              << " ms; seed " << seed << '\n';
}

} // namespace
} // namespace holdfast::test
