#include "redis/seam.hpp"

#include "holdfast/engine/url.hpp"

#include <stdexcept>

namespace holdfast::bench::redis {

namespace {

constexpr std::chrono::seconds patience{5};

} // namespace

seam::seam(const std::string& url, std::size_t depth)
    : who_{engine::this_process()}, engine_{engine::make_engine(engine::url::parse(url), who_)} {
    engine_->attach(*this);
    slots_.resize(depth);
    for (std::size_t i = 0; i < depth; ++i) {
        auto& ask = slots_[i].ask;
        ask.who = {.name = "seam:" + std::to_string(i),
                   .owner = {.client = who_.client, .number = 0}};
        ask.lease = std::chrono::seconds{30};
        ask.queue = engine::queueing::grant;
        send_next(i);
    }
    engine_->drive({}, who_.time->now());
}

seam::~seam() = default;

void seam::send_next(std::size_t place) {
    slot& of = slots_[place];
    const auto now = who_.time->now();
    if (of.held) {
        engine_->submit(place, engine::release_op{of.ask.who}, now + patience);
        return;
    }
    of.ask.who.owner.number = ++last_number_;
    of.ask.not_after = now + patience;
    engine_->submit(place, of.ask, now + patience);
}

void seam::answered(engine::answer&& what) {
    slot& of = slots_[what.id];
    const auto wanted = of.held ? engine::fate::released : engine::fate::granted;
    if (what.what != wanted) { failed_ = true; }
    if (of.held) { ++released_; }
    of.held = !of.held;
    due_.push_back(what.id);
}

void seam::noticed(const engine::notice& /*what*/) {}

std::uint64_t seam::turn() {
    released_ = 0;
    watched_.clear();
    engine_->pollables(watched_);
    constexpr int most_ms = 1'000;
    ::poll(watched_.data(), watched_.size(), most_ms);
    engine_->drive(watched_, who_.time->now());
    if (failed_) { throw std::runtime_error{"the seam: a hold was not granted or not released"}; }
    for (const auto place : due_) { send_next(place); }
    due_.clear();
    engine_->drive({}, who_.time->now());
    return released_;
}

} // namespace holdfast::bench::redis
