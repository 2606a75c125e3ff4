#include "cli/sampler_thread.hpp"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace holdfast::cli {

struct sampler_thread::shared_state {
    sample_settings settings;
    event_fd ready{};
    std::mutex mutex{};
    std::condition_variable changed{};
    lock_order order{};
    bool wanted = true; ///< the next sample, without a pause
    bool stopped = false;
    std::unique_ptr<result> latest{};
};

sampler_thread::sampler_thread(sample_settings settings, lock_order order)
    : shared_{std::make_shared<shared_state>()} {
    shared_->settings = std::move(settings);
    shared_->order = order;
    std::thread{[shared = shared_] { run(shared); }}.detach();
}

sampler_thread::~sampler_thread() {
    const std::lock_guard lock{shared_->mutex};
    shared_->stopped = true;
    shared_->changed.notify_all();
}

int sampler_thread::descriptor() const noexcept { return shared_->ready.descriptor(); }

std::unique_ptr<sampler_thread::result> sampler_thread::take() {
    const std::lock_guard lock{shared_->mutex};
    shared_->ready.clear();
    return std::move(shared_->latest);
}

void sampler_thread::refresh(lock_order order) {
    const std::lock_guard lock{shared_->mutex};
    shared_->order = order;
    shared_->wanted = true;
    shared_->changed.notify_all();
}

void sampler_thread::run(const std::shared_ptr<shared_state>& shared) {
    std::optional<client> client;
    for (;;) {
        std::unique_lock lock{shared->mutex};
        shared->changed.wait_for(lock, shared->settings.interval,
                                 [&] { return shared->stopped || shared->wanted; });
        if (shared->stopped) { return; }
        const auto order = shared->order;
        shared->wanted = false;
        lock.unlock();
        auto next = std::make_unique<result>();
        try {
            if (!client) { client.emplace(shared->settings.engine.open()); }
            next->sample = take_sample({*client, shared->settings.patterns}, order);
        } catch (const std::exception&) { next->problem = std::current_exception(); }
        lock.lock();
        shared->latest = std::move(next);
        shared->ready.signal();
    }
}

} // namespace holdfast::cli
