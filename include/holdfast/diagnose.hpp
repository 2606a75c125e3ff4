#pragma once

#include <holdfast/export.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

/// How bad a finding is. warning: it can cost locks their safety or their speed, or could not be
/// checked. danger: locks do not work, or two holders are possible.
enum class severity : std::uint8_t { ok, warning, danger };

/// `ok`, `warning`, `danger`.
[[nodiscard]] HOLDFAST_API const char* to_string(severity severity) noexcept;

/// The result of one check of one server or file.
struct finding {
    std::string check{}; ///< which check, e.g. `eviction`; docs/doctor.md lists them
    holdfast::severity severity = severity::ok;
    std::string subject{}; ///< the server, file or engine; never a user or password
    std::string text{};    ///< the state, and why it matters
    std::string remedy{};  ///< what to do; empty with ok
};

/// How to examine.
struct diagnose_options {
    std::chrono::milliseconds timeout{2000}; ///< for each server: to connect, and for each answer
    bool trial_lock = true; ///< acquire and release a lock of a name that nobody else uses
};

/// Examines the place where the locks of a URL live, whether or not it can be reached: every
/// server that the URL, the sentinels or the cluster name, or the file. Changes no setting; the
/// trial lock leaves what any lock leaves. Blocks: the servers are asked one after the other.
/// Throws error(invalid_url) and error(unsupported) for a URL that no client can be made from.
/// Thread safety: may be called from any thread.
[[nodiscard]] HOLDFAST_API std::vector<finding> diagnose(std::string_view url,
                                                         const diagnose_options& options = {});

/// The worst severity among them; ok if there are none.
[[nodiscard]] HOLDFAST_API severity worst_of(const std::vector<finding>& findings) noexcept;

} // namespace holdfast
