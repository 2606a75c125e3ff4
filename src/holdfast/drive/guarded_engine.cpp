#include "holdfast/drive/guarded_engine.hpp"

#include <cstring>

namespace holdfast::drive {

void guarded_engine::on_failure(const char* failure, base::instant now) noexcept {
    std::strncpy(failure_.data(), failure, failure_.size() - 1); // copying it needs no memory
    engine_->reset();
    lost_up_to_ = last_id_;
    due_ = now + retry_pause;
}

} // namespace holdfast::drive
