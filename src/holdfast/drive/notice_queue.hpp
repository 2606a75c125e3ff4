#pragma once
// The notices that the engine has pushed, and the participants that listen for them.

#include "holdfast/drive/listeners.hpp"
#include "holdfast/drive/participant.hpp"

#include <cstdint>
#include <vector>

namespace holdfast::drive {

/// A notice for which there is no memory is dropped, and all listeners get an `inbox_reset` after a
/// short pause. The pause is there because they then send requests, which need memory as well.
///
/// Thread safety: none.
class notice_queue {
public:
    void listen(std::uint64_t number, participant& participant) noexcept {
        listeners_.set(number, participant.shared_from_this());
    }
    void unlisten(std::uint64_t number) noexcept { listeners_.erase(number); }
    template <typename Visit>
    void visit_listeners(Visit visit) {
        listeners_.visit_all(visit);
    }

    void add(const engine::notice& notice, base::instant now) noexcept;
    void on_missed(base::instant now) noexcept;
    [[nodiscard]] bool ready(base::instant now) const noexcept {
        return !arrived_.empty() || reset_due_ <= now;
    }
    /// When listeners get the `inbox_reset` for missed notices.
    [[nodiscard]] base::instant due() const noexcept { return reset_due_; }
    void deliver(base::instant now) noexcept;

private:
    void deliver_reset(base::instant now) noexcept;

    listeners<participant> listeners_;
    std::vector<engine::notice> arrived_;
    std::vector<engine::notice> delivering_; ///< kept for its memory
    base::instant reset_due_ = base::never;
};

} // namespace holdfast::drive
