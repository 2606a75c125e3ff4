#pragma once
// The rows that this connection has written last, so that it need not read them again.

#include "holdfast/engine/embedded/codec.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

namespace holdfast::engine::embedded {

/// Rows that this connection has written, as the file has them. `begin` drops them all if SQLite's
/// data version has changed since the last commit, because another connection has committed, or if
/// the last transaction was not committed.
///
/// Thread safety: none.
class row_cache {
public:
    struct entry {
        std::int64_t id = 0; ///< 0: not known
        buffer body;
    };

    // With SQLite's version of the data; empty: it is not known, and nothing is kept.
    void begin(std::optional<unsigned> version) noexcept {
        if (!version || version != version_ || is_uncommitted_) { clear(); }
        version_ = version;
    }
    void commit(std::optional<unsigned> version) noexcept {
        version_ = version;
        is_uncommitted_ = false;
    }
    void clear() noexcept {
        entries_.clear();
        is_uncommitted_ = false;
    }

    /// Null: not known.
    [[nodiscard]] const entry* find(const std::string& name) const {
        const auto found = entries_.find(name);
        return found == entries_.end() || found->second.id == 0 ? nullptr : &found->second;
    }

    /// The row has this body, or will have: the caller sets the id once it is so. Null: it is too
    /// long.
    [[nodiscard]] entry* put(const std::string& name, bytes body) {
        is_uncommitted_ = true;
        if (entries_.size() >= max_entries) { entries_.clear(); }
        entry& made = entries_[name];
        made.id = 0; // also if an allocation throws
        if (body.size() > max_body) { return nullptr; }
        made.body.assign(body.begin(), body.end());
        return &made;
    }

private:
    static constexpr std::size_t max_entries = 256;
    static constexpr std::size_t max_body = 1024;

    std::unordered_map<std::string, entry> entries_;
    std::optional<unsigned> version_; ///< of the last transaction
    bool is_uncommitted_ = false;
};

} // namespace holdfast::engine::embedded
