#pragma once
// What `run -v` prints about its own hold: the grant and the release.

#include "cli/held_lock.hpp"
#include "cli/run_settings.hpp"
#include "holdfast/base/clock.hpp"

namespace holdfast::cli {

/// Made before the wait; prints nothing without -v.
class hold_log {
public:
    explicit hold_log(const run_settings& settings) : settings_{settings} {}

    void acquired(const held_lock& held);
    void released() const;

private:
    void print(const std::string& text) const;

    const run_settings& settings_;
    base::instant since_ = base::boot_clock::now(); ///< of the request, then of the grant
};

} // namespace holdfast::cli
