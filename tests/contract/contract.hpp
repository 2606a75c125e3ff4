#pragma once
// Shared by all files of the contract suite. Each file is a topic. Each test runs once for every
// engine, and a comment names the promise of docs/safety.md that it checks.

#include "support/background.hpp"
#include "support/engines.hpp"
#include "support/recording_observer.hpp"
#include "support/seam_client.hpp"
#include "support/timing.hpp"

#include <holdfast/holdfast.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::test {

class contract : public ::testing::TestWithParam<engine_under_test> {
protected:
    [[nodiscard]] std::string url() const { return store_->url(); }
    [[nodiscard]] store& the_store() { return *store_; }

    /// Another client of the test's store.
    [[nodiscard]] client connect() const { return client{url()}; }
    [[nodiscard]] client connect(std::shared_ptr<observer> watch) const {
        return client{url(), {.observer = std::move(watch)}};
    }

    [[nodiscard]] engine::capabilities can(primitive kind = primitive::mutex) const;
    /// How a waiter hears that it was granted the lock.
    [[nodiscard]] engine::notice::kind grant_notice() const {
        return can().pushes_grants ? engine::notice::kind::granted
                                   : engine::notice::kind::maybe_free;
    }

    /// How an engine that cannot be reached fails.
    [[nodiscard]] errc unreachable() const {
        return GetParam().majority ? errc::no_quorum : errc::unavailable;
    }

    /// Inspects a name; without holders and waiters if it is not in use.
    [[nodiscard]] lock_info look(std::string_view name) const;
    [[nodiscard]] std::size_t waiters_of(std::string_view name) const {
        return look(name).waiters.size();
    }
    /// Waits until there are this many waiters. If the engine does not show waiters, only sleeps.
    [[nodiscard]] bool will_wait(std::string_view name, std::size_t count) const;
    /// Waits until the name has neither a holder nor a waiter.
    [[nodiscard]] bool will_be_clear(std::string_view name, milliseconds within = long_wait) const;
    /// Whether another client could take it now.
    [[nodiscard]] bool is_free(const std::string& name) const;

private:
    [[nodiscard]] const client& looker() const;

    std::unique_ptr<store> store_ = GetParam().make_store();
    mutable std::optional<client> looker_; ///< made when first needed: seam tests do without
};

/// Runs `action` and returns the code of the holdfast::error that it throws; none: no error.
template <class Action>
[[nodiscard]] std::error_code failure_of(Action action) {
    try {
        action();
    } catch (const error& thrown) { return thrown.code(); }
    return {};
}

/// The same, but returns its text.
template <class Action>
[[nodiscard]] std::string complaint_of(Action action) {
    try {
        action();
    } catch (const error& thrown) { return thrown.what(); }
    return "no error";
}

/// A lease that is long enough to survive its renewals on a busy machine, and still short.
inline constexpr milliseconds short_lease = scaled(300ms);

} // namespace holdfast::test

// NOLINTBEGIN(bugprone-macro-parentheses): a class's name cannot be in parentheses

/// Declares a topic of the suite: its tests are TEST_P(topic, sentence).
#define HOLDFAST_CONTRACT(topic)                                                                   \
    class topic : public ::holdfast::test::contract {};                                            \
    INSTANTIATE_TEST_SUITE_P(                                                                      \
        contract, topic, ::testing::ValuesIn(::holdfast::test::engines()),                         \
        [](const ::testing::TestParamInfo<::holdfast::test::engine_under_test>& engine) {          \
            return engine.param.name;                                                              \
        })

// NOLINTEND(bugprone-macro-parentheses)

/// From here on the engine does not answer.
#define HOLDFAST_HANG_STORE()                                                                      \
    if (!the_store().hang()) {                                                                     \
        GTEST_SKIP() << "this engine is a part of the process and cannot hang without it: "        \
                        "nothing was tested";                                                      \
    }

/// Skips the test on engines without this capability.
#define HOLDFAST_NEEDS(claim)                                                                      \
    if (!(claim)) { GTEST_SKIP() << "this engine does not claim it: " #claim; }
