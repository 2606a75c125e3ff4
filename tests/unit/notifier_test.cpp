#include "holdfast/drive/notifier.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace holdfast::drive {
namespace {

class collecting final : public observer {
public:
    void on_event(const event& event) noexcept override {
        const int running = ++running_;
        most_running = std::max(most_running.load(), running);
        names.push_back(event.name);
        --running_;
    }
    std::vector<std::string> names; // written by one thread at a time
    std::atomic<int> most_running{0};

private:
    std::atomic<int> running_{0};
};

template <typename Body>
std::shared_ptr<notifier::callback> task(Body body) {
    class from_body final : public notifier::callback {
    public:
        explicit from_body(Body body) : body_{std::move(body)} {}
        void run() noexcept override { body_(); }

    private:
        Body body_;
    };
    return std::make_shared<from_body>(std::move(body));
}

TEST(notifier, starts_a_task_at_once_while_others_hang) {
    std::promise<void> end;
    const auto ended = end.get_future().share();
    std::promise<void> ran;
    notifier notifier{nullptr};
    for (unsigned i = 0; i + 1 < notifier::max_threads; ++i) {
        notifier.post(task([ended] { ended.wait(); }));
    }
    notifier.post(task([&ran] { ran.set_value(); }));
    EXPECT_EQ(ran.get_future().wait_for(std::chrono::seconds{5}), std::future_status::ready);
    end.set_value();
}

TEST(notifier, delivers_events_in_order_and_one_at_a_time) {
    const auto observer = std::make_shared<collecting>();
    {
        notifier notifier{observer};
        for (int i = 0; i < 500; ++i) { notifier.report({.name = std::to_string(i)}); }
    } // the destructor runs what is queued
    ASSERT_EQ(observer->names.size(), 500U);
    for (int i = 0; i < 500; ++i) {
        EXPECT_EQ(observer->names.at(static_cast<std::size_t>(i)), std::to_string(i));
    }
    EXPECT_EQ(observer->most_running, 1);
}

TEST(notifier, drops_events_when_the_observer_is_too_far_behind) {
    class stuck final : public observer {
    public:
        explicit stuck(std::shared_future<void> until) : until_{std::move(until)} {}
        void on_event(const event& /*event*/) noexcept override {
            until_.wait();
            ++delivered;
        }
        std::atomic<std::size_t> delivered{0};

    private:
        std::shared_future<void> until_;
    };
    std::promise<void> end;
    const auto observer = std::make_shared<stuck>(end.get_future().share());
    {
        notifier notifier{observer};
        for (std::size_t i = 0; i < notifier::max_events + 500; ++i) { notifier.report({}); }
        end.set_value();
    }
    EXPECT_GE(observer->delivered, notifier::max_events);
    EXPECT_LE(observer->delivered, notifier::max_events + 1);
}

TEST(notifier, may_be_destroyed_by_one_of_its_own_tasks) {
    for (int round = 0; round < 100; ++round) { // the task and the end of post() race
        std::promise<void> done;
        auto last =
            std::make_shared<std::unique_ptr<notifier>>(std::make_unique<notifier>(nullptr));
        auto& notifier = **last;
        notifier.post(task([last, &done] {
            last->reset();
            done.set_value();
        }));
        last.reset();
        ASSERT_EQ(done.get_future().wait_for(std::chrono::seconds{5}), std::future_status::ready);
    }
}

TEST(notifier, may_be_destroyed_with_the_last_of_its_tasks) {
    class reporting final : public notifier::callback {
    public:
        explicit reporting(std::promise<void>& done) : done_{done} {}
        reporting(const reporting&) = delete;
        reporting& operator=(const reporting&) = delete;
        ~reporting() override {
            owned.reset();
            done_.set_value();
        }
        void run() noexcept override {}
        std::unique_ptr<notifier> owned = std::make_unique<notifier>(nullptr);

    private:
        std::promise<void>& done_;
    };
    std::promise<void> done;
    auto last = std::make_shared<reporting>(done);
    auto& notifier = *last->owned;
    notifier.post(std::move(last));
    EXPECT_EQ(done.get_future().wait_for(std::chrono::seconds{5}), std::future_status::ready);
}

} // namespace
} // namespace holdfast::drive
