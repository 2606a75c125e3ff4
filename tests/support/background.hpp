#pragma once
// Runs a function with a result on a thread of its own, e.g. a waiter. If a test fails early, the
// destructor requests a stop, so that the test ends.

#include "support/timing.hpp"

#include <future>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <utility>

namespace holdfast::test {

template <class Result>
class background {
public:
    /// `body` is called with a stop_token: pass it to every wait.
    template <class Body>
    explicit background(Body body) {
        std::packaged_task<Result(std::stop_token)> task{std::move(body)};
        result_ = task.get_future();
        thread_ = std::jthread{std::move(task)};
    }

    [[nodiscard]] bool done_within(milliseconds span) const {
        return result_.wait_for(span) == std::future_status::ready;
    }
    [[nodiscard]] bool done() const { return done_within(0ms); }

    /// Waits for the result; rethrows the exception of the body. Requests a stop if it hangs.
    Result get() {
        if (!done_within(2 * long_wait)) { thread_.request_stop(); }
        return result_.get();
    }
    void stop() { thread_.request_stop(); }

private:
    std::future<Result> result_;
    std::jthread thread_;
};

template <class Body>
background(Body) -> background<std::invoke_result_t<Body, std::stop_token>>;

} // namespace holdfast::test
