#pragma once
// Resources that a lock protects, in files: one that checks tokens, and one that does not.

#include <cstdint>
#include <filesystem>

namespace holdfast::test {

/// A store that keeps the highest token and refuses older ones, as docs/safety.md recommends.
/// Processes share it by its path; each write is atomic.
class guarded_store {
public:
    explicit guarded_store(std::filesystem::path file) : file_{std::move(file)} {}

    /// Returns false if a newer token has been seen.
    [[nodiscard]] bool write(std::uint64_t token) const;
    [[nodiscard]] std::uint64_t highest() const;

private:
    std::filesystem::path file_;
};

/// A number that is read, incremented and written back: concurrent writers lose an update.
class unguarded_counter {
public:
    explicit unguarded_counter(std::filesystem::path file) : file_{std::move(file)} {}

    std::int64_t increment() const; ///< the new value
    [[nodiscard]] std::int64_t value() const;

private:
    std::filesystem::path file_;
};

} // namespace holdfast::test
