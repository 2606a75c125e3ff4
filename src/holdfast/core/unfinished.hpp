#pragma once
// Releases and withdrawals that the engine has not confirmed, by name.

#include "holdfast/drive/participant.hpp"

#include <string>
#include <unordered_map>

namespace holdfast::core {

/// A release that was not answered is sent again after a pause. Whoever asks for the same name
/// meanwhile must not find the hold that it gives up, so it is sent before that, at once.
///
/// Thread safety: none; used during a turn of the driver's.
class unfinished {
public:
    /// REQUIRES: it is set to false before the owner dies.
    void set(const std::string& name, drive::participant& owner, bool is_unfinished) noexcept;
    /// Before an acquire of this name is sent. Without memory for it they wait for their turn.
    void send_all(const std::string& name, base::instant now) noexcept;

private:
    std::unordered_multimap<std::string, drive::participant*> by_name_;
};

} // namespace holdfast::core
