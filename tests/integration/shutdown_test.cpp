// A client that goes away while its keeper reads: one of them at a time reads from the engine.

#include "holdfast/api/access.hpp"
#include "holdfast/core/client_core.hpp"
#include "support/timing.hpp"

#include <holdfast/lease.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <pthread.h>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <vector>

namespace holdfast::test {
namespace {

namespace seam = holdfast::engine;
using seam::op_status;

/// What the test sees of the engine, and how it feeds it.
struct line {
    base::fd ours;
    base::fd theirs;
    std::atomic<std::size_t> asked{0};     ///< acquires without an answer
    std::atomic<bool> keeper_reads{false}; ///< it did so at least once
    std::atomic<bool> two_read{false};     ///< at the same time

    line() {
        std::array<int, 2> ends{};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
        ours = base::fd{ends[0]};
        theirs = base::fd{ends[1]};
        constexpr timeval longest{.tv_sec = 0, .tv_usec = 4000};
        ::setsockopt(theirs.get(), SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
    }
    void feed(char byte) const { EXPECT_EQ(::send(ours.get(), &byte, 1, MSG_NOSIGNAL), 1); }
};

/// Grants "first" at once. Other acquires are answered by one byte each that is read from the line,
/// a release after 20 bytes.
class line_engine final : public seam::engine {
public:
    explicit line_engine(std::shared_ptr<line> on) : line_{std::move(on)} {}

    [[nodiscard]] seam::capabilities caps(primitive /*kind*/) const override {
        return {.supported = true};
    }
    void attach(seam::sink& to) override { to_ = &to; }
    void cancel(seam::op_id /*id*/) override {}
    void pollables(std::vector<pollfd>& out) const override {
        out.push_back({line_->theirs.get(), POLLIN, 0});
    }
    void submit(seam::op_id id, const seam::op& operation, base::instant /*give_up*/) override {
        if (const auto* const ask = std::get_if<seam::acquire_op>(&operation)) {
            if (ask->ticket.name == "first") { return say(id, op_status::granted); }
            asked_.push_back(id);
            line_->asked = asked_.size();
        } else {
            release_ = id;
            until_release_ = 20;
        }
    }
    base::instant drive(std::span<const pollfd> ready, base::instant /*now*/) override {
        if (ready.empty() || ready.front().revents == 0) { return base::never; }
        if (reading_) { line_->two_read = true; }
        const auto count = ::recv(line_->theirs.get(), room_.data(), room_.size(), MSG_DONTWAIT);
        hear(count);
        return base::never;
    }
    [[nodiscard]] seam::direct_read start_direct_read() override {
        if (std::exchange(reading_, true)) { line_->two_read = true; }
        std::array<char, 16> name{};
        ::pthread_getname_np(::pthread_self(), name.data(), name.size());
        if (std::string_view{name.data()} == "holdfast-keeper") { line_->keeper_reads = true; }
        return {.descriptor = line_->theirs.get(), .buffer = room_};
    }
    base::instant finish_direct_read(std::size_t /*source*/, ssize_t count, int /*error*/,
                                     base::instant /*now*/) override {
        reading_ = false;
        hear(count);
        return base::never;
    }

private:
    void say(seam::op_id id, op_status status) {
        seam::answer out;
        out.id = id;
        out.status = status;
        out.token = 7;
        to_->answered(std::move(out));
    }
    void hear(ssize_t count) {
        for (; count > 0; --count) {
            if (!asked_.empty()) {
                say(asked_.front(), op_status::busy);
                asked_.pop_front();
            } else if (until_release_ > 0 && --until_release_ == 0) {
                say(release_, op_status::released);
            }
        }
        line_->asked = asked_.size();
    }

    std::shared_ptr<line> line_;
    seam::sink* to_ = nullptr;
    std::array<char, 64> room_{};
    std::deque<seam::op_id> asked_;
    seam::op_id release_ = 0;
    int until_release_ = 0;
    bool reading_ = false;
};

TEST(shutdown, reads_only_when_the_keeper_does_not) {
    constexpr std::size_t callers = 6; // enough of a crowd for the keeper to lead
    const auto on = std::make_shared<line>();
    auto core = std::make_shared<core::client_core>(
        std::make_unique<line_engine>(on), seam::this_process(),
        client_options{.connect_wait = long_wait, .pipeline_release = true});
    auto result = core->acquire({.name = "first"}, detail::wait_limit::none(), {});
    ASSERT_TRUE(result.hold) << result.failure.message();
    {
        std::vector<std::jthread> crowd;
        for (std::size_t i = 0; i < callers; ++i) {
            crowd.emplace_back([&core] {
                static_cast<void>(core->acquire({.name = "busy"}, detail::wait_limit::none(), {}));
            });
        }
        EXPECT_TRUE(eventually([&] { return on->asked == callers; }));
        // The one that leads leaves the others to the keeper. One answer after the other: with few
        // callers left no keeper would lead.
        std::size_t fed = 0;
        EXPECT_TRUE(eventually([&] {
            if (fed < 2 && on->asked == callers - fed) {
                on->feed('a');
                ++fed;
            }
            return on->keeper_reads.load();
        }));
        for (std::size_t i = on->asked; i > 0; --i) { on->feed('a'); }
    }
    // The keeper goes on reading for a while.
    // A release that is still to be answered.
    detail::access::make_lease(core, std::move(result.hold)) = {};
    const std::jthread more{[&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            on->feed('n');
            std::this_thread::sleep_for(1ms);
        }
    }};
    core.reset();
    EXPECT_FALSE(on->two_read);
}

} // namespace
} // namespace holdfast::test
