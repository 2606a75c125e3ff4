#pragma once
// The engines that the contract suite runs against. A new engine adds one line in engines.cpp.

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::test {

/// An empty store for one test; the destructor removes it. All clients with its URL share its
/// locks.
class store {
public:
    store() = default;
    store(const store&) = delete;
    store& operator=(const store&) = delete;
    virtual ~store() = default;

    [[nodiscard]] virtual std::string url() const = 0;

    /// From now on writing operations get no answer. Returns false if this engine cannot hang.
    [[nodiscard]] virtual bool hang() { return false; }
    /// Ends hang(): the pending operations are processed late.
    virtual void resume() {}

    /// Deletes all locks. Returns false if this engine cannot lose data while clients use it.
    [[nodiscard]] virtual bool lose_data() { return false; }
};

struct engine_under_test {
    std::string name; ///< letters, digits and underscores: the suffix of its tests
    std::function<std::unique_ptr<store>()> make_store;

    /// Whether other processes reach the same store.
    bool across_processes = true;

    /// Whether a majority of several nodes decides.
    bool majority = false;

    /// A well-formed URL of a store that cannot be reached or opened; empty if there can be none.
    std::string dead_url = {};
};

[[nodiscard]] const std::vector<engine_under_test>& engines();

// NOLINTNEXTLINE(readability-identifier-naming): gtest's
void PrintTo(const engine_under_test& engine, std::ostream* out);

} // namespace holdfast::test
