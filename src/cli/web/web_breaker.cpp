#include "cli/web/web_breaker.hpp"

#include "cli/messages.hpp"
#include "cli/party_text.hpp"
#include "cli/web/web_view.hpp"

#include <holdfast/admin.hpp>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace holdfast::cli {

namespace {

std::optional<party> find_hold(const admin& admin, const web_break& task) {
    const auto lock = admin.inspect(task.name);
    if (!lock) { return std::nullopt; }
    const auto found =
        std::find_if(lock->holders.begin(), lock->holders.end(), [&](const party& each) {
            return each.token == task.token && hold_id(each) == task.hold_id;
        });
    return found == lock->holders.end() ? std::nullopt : std::optional{*found};
}

std::string successor_text(const admin& admin, const std::string& name) {
    std::error_code failure;
    const auto now = admin.inspect(name, failure);
    if (failure) { return {}; } // the lock is broken; only this is not known
    return now && !now->holders.empty() ? "; now " + describe_holders(*now) : "; it is free";
}

} // namespace

struct web_breaker::shared_state {
    engine_address engine;
    std::shared_ptr<http::http_outbox> outbox;
    listener on_broken;
    std::mutex mutex{};
    std::condition_variable changed{};
    std::deque<web_break> tasks{};
    bool stopped = false;

    [[nodiscard]] std::optional<web_break> next() {
        std::unique_lock lock{mutex};
        changed.wait(lock, [&] { return stopped || !tasks.empty(); });
        if (stopped) { return std::nullopt; }
        auto out = std::move(tasks.front());
        tasks.pop_front();
        return out;
    }

    [[nodiscard]] http::response break_hold(const admin& admin, const web_break& task) const {
        const auto name = quote_name(task.name);
        const auto hold = find_hold(admin, task);
        if (!hold || !admin.break_lock(task.name, {.only_token = task.token})) {
            return {.status = 409, .body = name + ": that hold has ended; nothing was done\n"};
        }
        const auto text = name + " is broken: it was held by " + describe(*hold) +
                          (task.token == 0 ? "" : ", token " + std::to_string(task.token));
        print_message("web: " + text, log_level::info);
        on_broken({task.name, hold->owner});
        return {.body = text + successor_text(admin, task.name) + "\n"};
    }
};

web_breaker::web_breaker(engine_address engine, std::shared_ptr<http::http_outbox> outbox,
                         listener on_broken)
    : shared_{std::make_shared<shared_state>()} {
    shared_->engine = std::move(engine);
    shared_->outbox = std::move(outbox);
    shared_->on_broken = std::move(on_broken);
    std::thread{[shared = shared_] { run(shared); }}.detach();
}

web_breaker::~web_breaker() {
    const std::lock_guard lock{shared_->mutex};
    shared_->stopped = true;
    shared_->changed.notify_all();
}

bool web_breaker::add(web_break task) {
    const std::lock_guard lock{shared_->mutex};
    if (shared_->tasks.size() >= most_waiting) { return false; }
    shared_->tasks.push_back(std::move(task));
    shared_->changed.notify_all();
    return true;
}

void web_breaker::run(const std::shared_ptr<shared_state>& shared) {
    std::optional<client> client;
    while (const auto task = shared->next()) {
        http::response response;
        try {
            if (!client) { client.emplace(shared->engine.open()); }
            response = shared->break_hold(admin{*client}, *task);
        } catch (const std::exception& problem) {
            response = {.status = 503,
                        .body = quote_name(task->name) + ": " + problem.what() +
                                "; the list shows whether it is still held\n"};
        }
        shared->outbox->complete(task->exchange, std::move(response));
    }
}

} // namespace holdfast::cli
