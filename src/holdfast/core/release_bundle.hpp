#pragma once
// The releases of several holds as one operation.

#include "holdfast/core/hold.hpp"
#include "holdfast/drive/participant.hpp"
#include "holdfast/engine/ops.hpp"

#include <memory>
#include <vector>

namespace holdfast::core {

/// Collects what holds would send, during one turn. A release whose answer is lost is sent again by
/// its hold alone.
class release_bundle final : public drive::participant {
public:
    /// `count` is how many holds there will be at most.
    release_bundle(client_core& core, std::size_t count);

    // During a turn of the driver.
    /// False: there is no memory; the hold sends its release itself.
    [[nodiscard]] bool add(hold& hold, engine::release_op&& item, base::instant give_up) noexcept;
    void send() noexcept;

    void on_answer(drive::purpose purpose, const engine::answer& answer, base::instant sent,
                   base::instant now) override;
    void on_timer(base::instant /*now*/) override {}

private:
    client_core& core_;
    std::vector<std::shared_ptr<hold>> holds_;
    engine::release_set_op op_;
    base::instant give_up_ = base::never;
};

} // namespace holdfast::core
