#pragma once
// Operations and heartbeats that could not be sent because there was no memory for them.

#include "holdfast/drive/participant.hpp"

#include <memory>

namespace holdfast::drive {

/// An intrusive list of participants, so that adding one needs no memory. Each is answered as if
/// the engine could not be reached. Its machine pauses before the next try, so that delivery ends.
///
/// Thread safety: none.
class unsent_queue {
public:
    [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
    void add_operation(participant& participant, purpose purpose) noexcept;
    void add_beat(participant& participant, base::milliseconds lease) noexcept;
    /// Answers all that one participant could not send. REQUIRES: not empty.
    void deliver_first(base::instant now) noexcept;

private:
    void link(participant& participant) noexcept;

    std::shared_ptr<participant> first_;
};

} // namespace holdfast::drive
