#pragma once
// What `run` and `elect` print about their own hold: with -v all, otherwise its loss and, of an
// election, the term.

#include "cli/held_lock.hpp"
#include "cli/log.hpp"
#include "cli/loss_record.hpp"
#include "cli/run_settings.hpp"
#include "holdfast/base/clock.hpp"

#include <string>

namespace holdfast::cli {

/// Made before the wait.
class hold_log {
public:
    explicit hold_log(const run_settings& settings) : settings_{settings} {}

    void acquired(const held_lock& held);
    /// `status`: as waitpid() has it.
    void command_ended(int status) const;
    void released() const;
    /// `ending`: how the command ended, as a clause.
    void lost(const loss_cause& cause, const std::string& ending) const;

private:
    void print(const std::string& text, const log_fields& fields) const;

    const run_settings& settings_;
    std::string token_{};                           ///< as log_fields has it
    base::instant since_ = base::boot_clock::now(); ///< of the request, then of the grant
};

} // namespace holdfast::cli
