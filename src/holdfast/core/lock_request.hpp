#pragma once
// The request of a call, and the checks of its options before any I/O.

#include "holdfast/engine/engine.hpp"
#include "holdfast/machine/lease_terms.hpp"

#include <holdfast/lock_info.hpp>
#include <holdfast/options.hpp>

#include <string>

namespace holdfast::core {

struct lock_request {
    std::string name{};
    primitive kind = primitive::mutex;
    holdfast::mode mode = mode::exclusive;
    unsigned permits = 1;
    unsigned limit = 1;
    lock_options options{};
};

/// These throw error(invalid_name) or error(invalid_option); the text names the member.
void check_name(const std::string& name);
[[nodiscard]] std::string count_text(unsigned count);
void check_limit(unsigned limit);
void check_options(const lock_options& options);
void check_options(const client_options& options);
void check_lease(std::chrono::milliseconds lease, std::chrono::milliseconds margin);
/// The lease of a request, an extend or a renewal on this engine.
void check_longest_lease(std::chrono::milliseconds lease, const engine::capabilities& caps);
/// Also throws error(unsupported) for a feature that the engine does not have.
void check_request(const lock_request& request, const engine::capabilities& caps);

/// Whether the call sets an option of the lock's.
[[nodiscard]] inline bool sets_options(const acquire_options& call) noexcept {
    return call.lease || call.renew || call.max_hold || call.min_hold || call.margin ||
           call.detached || call.note;
}
/// Replaces the lock's options by those that the call sets.
void override_options(lock_options& options, const acquire_options& call);

[[nodiscard]] engine::lock_format lock_format_of(const lock_options& options) noexcept;
[[nodiscard]] machine::lease_terms terms_of(const lock_options& options) noexcept;

/// For messages, e.g. `mutex "stock:1001"`.
[[nodiscard]] std::string describe(primitive kind, const std::string& name);

} // namespace holdfast::core
