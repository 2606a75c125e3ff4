#pragma once
// What a lock protects, as a file: as a store that knows tokens, and as one that knows nothing.

#include <cstdint>
#include <filesystem>

namespace holdfast::test {

/// A store that keeps the highest token that it has seen and refuses older ones, as docs/safety.md
/// asks of whoever is to be safe. Processes share it by its path; each write is one step.
class guarded_store {
public:
    explicit guarded_store(std::filesystem::path file) : file_{std::move(file)} {}

    /// False: refused, a newer token has been seen.
    [[nodiscard]] bool write(std::uint64_t token) const;
    [[nodiscard]] std::uint64_t highest() const;

private:
    std::filesystem::path file_;
};

/// A number that is read, thought about and written back: two at once lose an update.
class unguarded_counter {
public:
    explicit unguarded_counter(std::filesystem::path file) : file_{std::move(file)} {}

    std::int64_t increment() const; ///< the new value
    [[nodiscard]] std::int64_t value() const;

private:
    std::filesystem::path file_;
};

} // namespace holdfast::test
