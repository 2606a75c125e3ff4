#include "history/generator.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <random>

namespace holdfast::history {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

constexpr int test_pid = 1;
constexpr nanoseconds one_way = 20us; ///< latency from a process to the engine, or back

struct member {
    int pid{};
    std::string label{};
};

/// A request, and the hold that it becomes.
struct request_state {
    std::size_t member{};
    requested request{};
    std::uint64_t token{};
    stamp n{};       ///< valid until
    stamp expires{}; ///< when the engine frees it
    bool queued{true};
};

struct lock {
    std::string name{};
    unsigned kind{};
    std::deque<std::shared_ptr<request_state>> queue{};
    unsigned exclusive{}, shared{}, permits{};
    std::uint64_t epoch{};
    std::uint64_t last_written{};
    std::int64_t counter{};
};

class simulation {
public:
    explicit simulation(const generate_options& options)
        : options_{options}, random_{options.seed} {
        for (unsigned i = 0; i < options.names; ++i) {
            locks_.push_back({.name = "name:" + std::to_string(i), .kind = i % 3});
        }
        for (unsigned i = 0; i < options.processes; ++i) {
            members_.push_back({next_pid_++, "worker-" + std::to_string(i)});
            schedule(between(0ms, 5ms), [this, i] { send_request(i); });
        }
    }

    std::vector<event> run() {
        while (!tasks_.empty()) {
            const auto next = tasks_.top();
            tasks_.pop();
            now_ = next.at;
            next.action();
        }
        return std::move(events_);
    }

private:
    struct scheduled_action {
        stamp at{};
        std::uint64_t number{};
        std::function<void()> action{};
        bool operator<(const scheduled_action& other) const {
            return std::tie(other.at, other.number) < std::tie(at, number);
        }
    };
    using held = std::shared_ptr<request_state>;

    void schedule(nanoseconds wait, std::function<void()> action) {
        tasks_.push({now_ + wait, ++task_count_, std::move(action)});
    }
    unsigned percent() { return static_cast<unsigned>(random_() % 100); }
    nanoseconds between(nanoseconds low, nanoseconds high) {
        const auto width = static_cast<std::uint64_t>((high - low).count());
        return low + nanoseconds{static_cast<std::int64_t>(random_() % width)};
    }
    void emit(const held& h, event_type type) {
        const auto& m = members_[h->member];
        events_.push_back(
            {.at = now_, .pid = m.pid, .thread = 1, .process = m.label, .type = std::move(type)});
    }
    void emit_by_test(event_type type) {
        events_.push_back(
            {.at = now_, .pid = test_pid, .thread = 1, .process = "test", .type = std::move(type)});
    }

    void send_request(std::size_t member) {
        if (events_.size() >= options_.events) { return; }
        auto& l = locks_[random_() % locks_.size()];
        auto h = std::make_shared<request_state>();
        h->member = member;
        h->request = {.name = l.name,
                      .owner = "owner:" + std::to_string(++owners_),
                      .lease = between(300ms, 600ms)};
        if (l.kind == 1 && percent() < 60) { h->request.mode = mode::shared; }
        if (l.kind == 2) {
            h->request.mode = mode::permits;
            h->request.limit = 3;
            h->request.n = 1 + percent() % 2;
        }
        emit(h, h->request);
        schedule(one_way, [this, &l, h] {
            l.queue.push_back(h);
            settle(l);
        });
        const auto chance = percent();
        if (chance < 8) {
            schedule(between(1ms, 20ms), [this, &l, h] { give_up(l, h); });
        } else if (chance < 10) {
            schedule(between(1ms, 20ms), [this, &l, h] {
                if (h->queued) { kill(l, h, 0ms); }
            });
        }
    }

    static bool fits(const lock& l, const requested& r) {
        switch (r.mode) {
        case mode::exclusive: return l.exclusive == 0 && l.shared == 0;
        case mode::shared: return l.exclusive == 0;
        case mode::permits: return l.permits + r.n <= r.limit;
        }
        return false;
    }

    static void leave(lock& l, const held& h) {
        h->queued = false;
        std::erase(l.queue, h);
    }

    void settle(lock& l) {
        while (!l.queue.empty() && fits(l, l.queue.front()->request)) {
            const auto h = l.queue.front();
            leave(l, h);
            count(l, h->request, 1);
            h->token = h->request.mode == mode::shared ? l.epoch : ++l.epoch;
            h->n = now_ + valid_for(h->request.lease);
            h->expires = now_ + h->request.lease;
            schedule(one_way, [this, &l, h] { hold(l, h); });
        }
    }

    static nanoseconds valid_for(nanoseconds lease) { return lease - lease / 100 - 2ms - 50ms; }

    static void count(lock& l, const requested& r, unsigned by) {
        switch (r.mode) {
        case mode::exclusive: l.exclusive += by; break;
        case mode::shared: l.shared += by; break;
        case mode::permits: l.permits += by * r.n; break;
        }
    }

    void free_after(nanoseconds wait, lock& l, const held& h) {
        schedule(wait, [this, &l, h] {
            count(l, h->request, -1U); // unsigned arithmetic: wraps around to a subtraction
            settle(l);
        });
    }

    void request_again(const held& h, nanoseconds wait) {
        schedule(wait, [this, member = h->member] { send_request(member); });
    }

    void hold(lock& l, const held& h) {
        emit(h, granted{.name = l.name,
                        .owner = h->request.owner,
                        .token = h->token,
                        .valid_until = h->n});
        const auto chance = percent();
        if (chance < 80) {
            const auto length = between(100us, 3ms);
            schedule(length / 2, [this, &l, h] { write(l, h); });
            schedule(length, [this, &l, h] { release(l, h); });
        } else if (chance < 86) {
            renew(l, h, 1 + percent() % 6);
        } else if (chance < 90) {
            stop(l, h, now_ + between(1ms, 5ms), h->expires + between(10ms, 90ms));
        } else if (chance < 93) {
            lose(l, h, h->n + between(0ms, 20ms));
            free_after(h->expires - now_, l, h);
        } else if (chance < 97) {
            schedule(between(0ms, 2ms), [this, &l, h] { kill(l, h, h->expires - now_); });
        } else {
            schedule(between(0ms, 2ms), [this, &l, h] { break_lock(l, h); });
        }
    }

    void give_up(lock& l, const held& h) {
        if (!h->queued) { return; }
        leave(l, h);
        emit(h, gave_up{.name = l.name, .owner = h->request.owner});
        settle(l);
        request_again(h, between(1ms, 5ms));
    }

    void write(lock& l, const held& h) {
        if (h->request.mode != mode::exclusive) { return; }
        const bool fresh = h->token >= l.last_written;
        wrote w{.name = l.name,
                .owner = h->request.owner,
                .token = h->token,
                .accepted = fresh,
                .begun = now_ - 10us};
        if (fresh) {
            l.last_written = h->token;
            w.value = ++l.counter;
        }
        emit(h, w);
    }

    void release(lock& l, const held& h) {
        emit(h, released{.name = l.name, .owner = h->request.owner});
        free_after(one_way, l, h);
        request_again(h, between(100us, 5ms));
    }

    void renew(lock& l, const held& h, unsigned times) {
        schedule(h->request.lease / 3, [this, &l, h, times] {
            if (times == 0) { return release(l, h); }
            h->n = now_ - 2 * one_way + valid_for(h->request.lease);
            h->expires = now_ - one_way + h->request.lease;
            emit(h, renewed{.name = l.name, .owner = h->request.owner, .valid_until = h->n});
            renew(l, h, times - 1);
        });
    }

    void lose(lock& l, const held& h, stamp fired) {
        schedule(fired - now_, [this, &l, h, fired] {
            emit(h, lost{.name = l.name,
                         .owner = h->request.owner,
                         .valid_until = h->n,
                         .fired = fired});
            request_again(h, between(1ms, 5ms));
        });
    }

    void stop(lock& l, const held& h, stamp from, stamp to) {
        free_after(h->expires - now_, l, h);
        schedule(to - now_, [this, h, from, to] {
            emit_by_test(resumed{.victim = members_[h->member].pid, .from = from, .to = to});
        });
        schedule(to - now_ + 1ms, [this, &l, h] { write(l, h); });
        lose(l, h, to + between(2ms, 90ms));
    }

    /// Kills a holder, whose hold is then freed at once or at the end of its lease; or a waiter.
    void kill(lock& l, const held& h, nanoseconds rest_of_lease) {
        const bool waiter = h->queued;
        if (waiter) { leave(l, h); }
        const int victim = members_[h->member].pid;
        members_[h->member].pid = next_pid_++;
        schedule(1ms, [this, victim, sent = now_] {
            emit_by_test(killed{.victim = victim, .sent = sent});
        });
        if (waiter) {
            settle(l);
        } else {
            free_after(percent() < 50 ? 100us : rest_of_lease, l, h);
        }
        request_again(h, between(2ms, 10ms));
    }

    void break_lock(lock& l, const held& h) {
        free_after(one_way, l, h);
        schedule(2 * one_way, [this, &l, h, sent = now_] {
            emit_by_test(broken{.name = l.name, .token = h->token, .sent = sent});
        });
        lose(l, h, now_ + between(1ms, 10ms));
    }

    generate_options options_;
    std::mt19937_64 random_;
    std::vector<lock> locks_{};
    std::vector<member> members_{};
    std::priority_queue<scheduled_action> tasks_{};
    std::vector<event> events_{};
    stamp now_{1s};
    int next_pid_{100};
    std::uint64_t task_count_{0};
    std::uint64_t owners_{0};
};

} // namespace

std::vector<event> generate(const generate_options& options) { return simulation{options}.run(); }

} // namespace holdfast::history
