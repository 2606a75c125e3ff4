#include "redis/seam.hpp"

#include "holdfast/engine/url.hpp"

#include <stdexcept>

namespace holdfast::bench::redis {

namespace {

constexpr std::chrono::seconds patience{5};

} // namespace

seam::seam(const std::string& url, std::size_t depth)
    : identity_{engine::this_process()},
      engine_{engine::make_engine(engine::url::parse(url), identity_)} {
    engine_->attach(*this);
    slots_.resize(depth);
    for (std::size_t i = 0; i < depth; ++i) {
        auto& ask = slots_[i].ask;
        ask.ticket = {.name = "seam:" + std::to_string(i),
                      .owner = {.client = identity_.client, .number = 0}};
        ask.lease = std::chrono::seconds{30};
        ask.queue = engine::queueing::grant;
        send_next(i);
    }
    engine_->drive({}, identity_.time->now());
}

seam::~seam() = default;

void seam::send_next(std::size_t place) {
    slot& entry = slots_[place];
    const auto now = identity_.time->now();
    if (entry.held) {
        engine_->submit(place, engine::release_op{entry.ask.ticket}, now + patience);
        return;
    }
    entry.ask.ticket.owner.number = ++last_number_;
    entry.ask.not_after = now + patience;
    engine_->submit(place, entry.ask, now + patience);
}

void seam::answered(engine::answer&& answer) {
    slot& entry = slots_[answer.id];
    const auto wanted = entry.held ? engine::op_status::released : engine::op_status::granted;
    if (answer.status != wanted) { failed_ = true; }
    if (entry.held) { ++released_; }
    entry.held = !entry.held;
    due_.push_back(answer.id);
}

void seam::noticed(const engine::notice& /*what*/) {}

std::uint64_t seam::turn() {
    released_ = 0;
    watched_.clear();
    engine_->pollables(watched_);
    constexpr int most_ms = 1'000;
    ::poll(watched_.data(), watched_.size(), most_ms);
    engine_->drive(watched_, identity_.time->now());
    if (failed_) { throw std::runtime_error{"the seam: a hold was not granted or not released"}; }
    for (const auto place : due_) { send_next(place); }
    due_.clear();
    engine_->drive({}, identity_.time->now());
    return released_;
}

} // namespace holdfast::bench::redis
