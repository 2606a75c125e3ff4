#pragma once
// What a caller wants of a name, checked before any I/O.

#include "holdfast/engine/engine.hpp"
#include "holdfast/machine/lease_terms.hpp"

#include <holdfast/lock_info.hpp>
#include <holdfast/options.hpp>

#include <string>

namespace holdfast::core {

struct request {
    std::string name{};
    primitive kind = primitive::mutex;
    holdfast::mode mode = mode::exclusive;
    unsigned permits = 1;
    unsigned limit = 1;
    hold_options options{};
};

/// Throw error(invalid_name) or error(invalid_option); the text names the field.
void check_name(const std::string& name);
void check_limit(unsigned limit);
void check_options(const hold_options& options);
void check_options(const client_options& options);
void check_lease(std::chrono::milliseconds lease, std::chrono::milliseconds margin);
/// Also throws error(unsupported) for what the engine cannot do.
void check_request(const request& request, const engine::capabilities& caps);

[[nodiscard]] engine::lock_format writing_of(const hold_options& options) noexcept;
[[nodiscard]] machine::lease_terms terms_of(const hold_options& options) noexcept;

/// The word for it in messages, e.g. `mutex "stock:1001"`.
[[nodiscard]] std::string describe(primitive kind, const std::string& name);

} // namespace holdfast::core
