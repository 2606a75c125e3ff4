#pragma once
// What `run` and `elect` print when renewals of their lock begin to fail, and when they work again.

#include "cli/held_lock.hpp"
#include "cli/loss_record.hpp"
#include "cli/run_settings.hpp"

#include <string>

namespace holdfast::cli {

/// Prints with -v, and in the formats of --log. The caller polls: an outage that ends before it is
/// seen prints nothing.
class renewal_log {
public:
    renewal_log(const run_settings& settings, const held_lock& held, const loss_record& losses)
        : settings_{settings}, held_{held}, losses_{losses} {}

    /// Prints a change since the last call.
    void update();

private:
    const run_settings& settings_;
    const held_lock& held_;
    const loss_record& losses_;
    bool fails_ = false;
};

} // namespace holdfast::cli
