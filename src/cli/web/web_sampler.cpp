#include "cli/web/web_sampler.hpp"

#include "cli/error_words.hpp"
#include "cli/lock_json.hpp"
#include "cli/lock_walk.hpp"
#include "cli/script_output.hpp"
#include "cli/web/recent_events.hpp"
#include "holdfast/base/clock.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace holdfast::cli {

using base::boot_clock;
using std::chrono::milliseconds;

namespace {

using page_views = std::map<http::exchange_id, web_view>;

/// However many pages ask for a sample at once.
constexpr milliseconds shortest_pause{100};

http::stream_part server_event(const char* type, const std::string& members) {
    return std::make_shared<const std::string>(std::string{"event: "} + type + "\ndata: {" +
                                               members + "}\n\n");
}

} // namespace

struct web_sampler::shared_state {
    web_settings settings;
    std::shared_ptr<http::http_outbox> outbox;
    std::mutex mutex{};
    std::condition_variable changed{};
    page_views pages{};
    std::vector<hold_changes::hold_key> broken{};
    bool wanted = false; ///< the next sample, without the whole pause
    bool idle = true;    ///< no page was open for a while
    bool stopped = false;
};

/// Lives on the thread.
class web_sampler::walker {
public:
    explicit walker(std::shared_ptr<shared_state> shared) : shared_{std::move(shared)} {}

    void run() {
        while (const auto pages = next_pages()) {
            const auto begin = boot_clock::now();
            try {
                publish_sample(*pages);
            } catch (const std::exception& problem) {
                const auto part =
                    server_event("problem", "\"problem\": " +
                                                json_quote(command_failure(problem.what(), "web")));
                for (const auto& [page, view] : *pages) { shared_->outbox->send(page, part); }
            }
            took_ = std::chrono::ceil<milliseconds>(boot_clock::now() - begin);
        }
    }

private:
    struct lock_counts {
        std::size_t locks = 0;
        std::size_t holders = 0;
        std::size_t waiters = 0;
    };

    /// Waits until a sample is due; empty: it must end.
    std::optional<page_views> next_pages() {
        std::unique_lock lock{shared_->mutex};
        const auto wakes = [&] { return shared_->stopped || shared_->wanted; };
        shared_->changed.wait_for(lock, shortest_pause, [&] { return shared_->stopped; });
        const auto pause = std::max(shared_->settings.interval, took_) - shortest_pause;
        shared_->changed.wait_for(lock, pause, wakes);
        shared_->changed.wait(lock, [&] { return shared_->stopped || !shared_->pages.empty(); });
        if (shared_->stopped) { return std::nullopt; }
        if (std::exchange(shared_->idle, false)) { events_.forget_holds(); }
        for (auto& hold : std::exchange(shared_->broken, {})) {
            events_.on_broken(std::move(hold));
        }
        shared_->wanted = false;
        return shared_->pages;
    }

    void publish_sample(const page_views& pages) {
        if (!client_) { client_.emplace(shared_->settings.engine.open()); }
        const auto begin = boot_clock::now();
        std::map<web_view, web_rows> views;
        for (const auto& [page, view] : pages) { views.try_emplace(view, view); }
        lock_counts counts;
        events_.begin_walk();
        lock_walk{*client_, shared_->settings.patterns}.each_page([&](const auto& locks) {
            for (const lock_info& lock : locks) { add(lock, views, counts); }
            return true;
        });
        events_.end_walk(admin{*client_});
        const auto took = std::chrono::ceil<milliseconds>(boot_clock::now() - begin);
        const auto common = members(counts, took);
        std::map<web_view, http::stream_part> parts;
        for (auto& [view, rows] : views) {
            parts[view] = server_event("locks", common + ", " + rows.take_members());
        }
        for (const auto& [page, view] : pages) { shared_->outbox->send(page, parts[view]); }
    }

    void add(const lock_info& lock, std::map<web_view, web_rows>& views, lock_counts& counts) {
        ++counts.locks;
        counts.holders += lock.holders.size();
        counts.waiters += lock.waiters.size();
        events_.add(lock);
        for (auto& [view, rows] : views) { rows.offer(lock); }
    }

    /// What all views have in common.
    [[nodiscard]] std::string members(const lock_counts& counts, milliseconds took) const {
        const auto& settings = shared_->settings;
        return "\"engine\": " + json_quote(settings.engine.label()) +
               ", \"time\": " + json_time(std::chrono::system_clock::now()) +
               ", \"refresh_ms\": " + std::to_string(settings.interval.count()) +
               ", \"walk_ms\": " + std::to_string(took.count()) +
               ", \"read_only\": " + (settings.read_only ? "true" : "false") +
               ", \"all_locks\": " + std::to_string(counts.locks) +
               ", \"all_holders\": " + std::to_string(counts.holders) +
               ", \"all_waiters\": " + std::to_string(counts.waiters) + ", " + events_.members();
    }

    std::shared_ptr<shared_state> shared_;
    std::optional<client> client_;
    recent_events events_;
    milliseconds took_{0};
};

web_sampler::web_sampler(web_settings settings, std::shared_ptr<http::http_outbox> outbox)
    : shared_{std::make_shared<shared_state>()} {
    shared_->settings = std::move(settings);
    shared_->outbox = std::move(outbox);
    std::thread{[shared = shared_] { walker{shared}.run(); }}.detach();
}

web_sampler::~web_sampler() {
    const std::lock_guard lock{shared_->mutex};
    shared_->stopped = true;
    shared_->changed.notify_all();
}

void web_sampler::add_page(http::exchange_id page, web_view view) {
    const std::lock_guard lock{shared_->mutex};
    shared_->pages.emplace(page, std::move(view));
    shared_->wanted = true;
    shared_->changed.notify_all();
}

void web_sampler::remove_page(http::exchange_id page) {
    const std::lock_guard lock{shared_->mutex};
    shared_->pages.erase(page);
    if (shared_->pages.empty()) { shared_->idle = true; }
}

void web_sampler::on_broken(hold_changes::hold_key hold) {
    const std::lock_guard lock{shared_->mutex};
    shared_->broken.push_back(std::move(hold));
    shared_->wanted = true;
    shared_->changed.notify_all();
}

} // namespace holdfast::cli
