#include "redis/engine_pipeline.hpp"

#include "holdfast/engine/url.hpp"

#include <stdexcept>

namespace holdfast::bench::redis {

namespace {

constexpr std::chrono::seconds timeout{5};

} // namespace

engine_pipeline::engine_pipeline(const std::string& url, std::size_t depth)
    : identity_{engine::this_process()},
      engine_{engine::make_engine(engine::url::parse(url), identity_)} {
    engine_->attach(*this);
    slots_.resize(depth);
    for (std::size_t i = 0; i < depth; ++i) {
        auto& acquire = slots_[i].acquire;
        acquire.ticket = {.name = "pipeline:" + std::to_string(i),
                          .owner = {.client = identity_.client, .number = 0}};
        acquire.lease = std::chrono::seconds{30};
        acquire.queue = engine::queueing::grant;
        send_next(i);
    }
    engine_->drive({}, identity_.time->now());
}

engine_pipeline::~engine_pipeline() = default;

void engine_pipeline::send_next(std::size_t index) {
    slot& entry = slots_[index];
    const auto now = identity_.time->now();
    if (entry.held) {
        engine_->submit(index, engine::release_op{entry.acquire.ticket}, now + timeout);
        return;
    }
    entry.acquire.ticket.owner.number = ++last_number_;
    entry.acquire.not_after = now + timeout;
    engine_->submit(index, entry.acquire, now + timeout);
}

void engine_pipeline::answered(engine::answer&& answer) {
    slot& entry = slots_[answer.id];
    const auto expected = entry.held ? engine::op_status::released : engine::op_status::granted;
    if (answer.status != expected) { failed_ = true; }
    if (entry.held) { ++released_; }
    entry.held = !entry.held;
    due_.push_back(answer.id);
}

void engine_pipeline::noticed(const engine::notice& /*notice*/) {}

std::uint64_t engine_pipeline::step() {
    released_ = 0;
    descriptors_.clear();
    engine_->pollables(descriptors_);
    constexpr int timeout_ms = 1'000;
    ::poll(descriptors_.data(), descriptors_.size(), timeout_ms);
    engine_->drive(descriptors_, identity_.time->now());
    if (failed_) { throw std::runtime_error{"a hold was not granted or not released"}; }
    for (const auto index : due_) { send_next(index); }
    due_.clear();
    engine_->drive({}, identity_.time->now());
    return released_;
}

} // namespace holdfast::bench::redis
