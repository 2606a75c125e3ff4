#pragma once
// The stop_token of lost(), of one hold or of a set.

#include "holdfast/drive/notifier.hpp"

#include <memory>
#include <stop_token>
#include <utility>

namespace holdfast::core {

/// Made by the first lost(), so that a loss can be signalled without memory.
///
/// Thread safety: none; used during a turn of the driver.
class loss_signal {
public:
    /// Throws std::system_error if the system refuses a thread for the callbacks.
    [[nodiscard]] std::stop_token token(drive::notifier& notifier, bool already_lost) {
        if (!request_) {
            auto made = std::make_shared<stop_request>();
            if (already_lost) {
                // No callback can be registered yet: this runs no user code under the driver's
                // mutex.
                made->run();
            } else {
                notifier.start();
            }
            request_ = std::move(made);
        }
        return request_->stop.get_token();
    }
    void post(drive::notifier& notifier) noexcept {
        if (request_) { notifier.post(request_); }
    }

private:
    class stop_request final : public drive::notifier::callback {
    public:
        void run() noexcept override { stop.request_stop(); }
        std::stop_source stop;
    };

    std::shared_ptr<stop_request> request_; ///< null until lost() is called
};

} // namespace holdfast::core
