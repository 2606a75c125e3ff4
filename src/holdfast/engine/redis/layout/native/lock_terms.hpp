#pragma once
// The text of a request's terms in the native layout: fields.lua names its columns.

#include "holdfast/engine/factory.hpp"
#include "holdfast/engine/ops.hpp"

#include <holdfast/lock_info.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::engine::redis {

/// Writes terms, and caches the last ones: most requests of a client have the same.
///
/// Thread safety: none.
class terms_writer {
public:
    explicit terms_writer(const client_identity& identity);

    /// Valid until the next call.
    [[nodiscard]] const std::string& write(const acquire_op& op);
    /// How often the terms have changed: they are the same as long as this is.
    [[nodiscard]] std::uint64_t changes() const noexcept { return changes_; }

    /// Whether both have the same text.
    [[nodiscard]] static bool are_equal(const acquire_op& one, const acquire_op& other) noexcept {
        return values_of(one) == values_of(other) && one.note == other.note;
    }

private:
    /// All parts of the terms but the note.
    struct values {
        primitive kind{};
        holdfast::mode mode{};
        bool detached = false;
        unsigned permits = 0;
        unsigned limit = 0;
        base::milliseconds lease{};
        base::milliseconds min_hold{};
        queueing queue{};
        bool operator==(const values&) const = default;
    };

    [[nodiscard]] static values values_of(const acquire_op& op) noexcept {
        return {op.kind,  op.mode,  op.detached, op.permits,
                op.limit, op.lease, op.min_hold, op.queue};
    }

    std::string origin_; ///< pid and host
    values last_;
    std::string last_note_;
    std::string last_text_; ///< empty: none
    std::uint64_t changes_ = 0;
};

/// Sets mode, permits, lease, pid, host and note.
void read_terms(std::string_view terms, party& out);

[[nodiscard]] primitive read_kind(char letter) noexcept;

} // namespace holdfast::engine::redis
