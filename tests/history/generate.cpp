#include "history/generate.hpp"

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
constexpr nanoseconds way = 20us; ///< from a process to the engine or back

struct member {
    int pid{};
    std::string label{};
};

/// A request, and then the hold that it became.
struct ask {
    std::size_t member{};
    requested what{};
    std::uint64_t token{};
    stamp n{};       ///< valid until
    stamp expires{}; ///< when the engine frees it
    bool queued{true};
};

struct lock {
    std::string name{};
    unsigned kind{};
    std::deque<std::shared_ptr<ask>> queue{};
    unsigned exclusive{}, shared{}, permits{};
    std::uint64_t epoch{};
    std::uint64_t last_written{};
    std::int64_t counter{};
};

class fleet {
public:
    explicit fleet(const generate_options& options) : options_{options}, random_{options.seed} {
        for (unsigned i = 0; i < options.names; ++i) {
            locks_.push_back({.name = "name:" + std::to_string(i), .kind = i % 3});
        }
        for (unsigned i = 0; i < options.processes; ++i) {
            members_.push_back({next_pid_++, "worker-" + std::to_string(i)});
            later_do(between(0ms, 5ms), [this, i] { ask_for_something(i); });
        }
    }

    std::vector<event> run() {
        while (!agenda_.empty()) {
            const auto next = agenda_.top();
            agenda_.pop();
            now_ = next.at;
            next.act();
        }
        return std::move(events_);
    }

private:
    struct task {
        stamp at{};
        std::uint64_t number{};
        std::function<void()> act{};
        bool operator<(const task& other) const {
            return std::tie(other.at, other.number) < std::tie(at, number);
        }
    };
    using held = std::shared_ptr<ask>;

    void later_do(nanoseconds wait, std::function<void()> act) {
        agenda_.push({now_ + wait, ++tasks_, std::move(act)});
    }
    unsigned percent() { return static_cast<unsigned>(random_() % 100); }
    nanoseconds between(nanoseconds low, nanoseconds high) {
        const auto width = static_cast<std::uint64_t>((high - low).count());
        return low + nanoseconds{static_cast<std::int64_t>(random_() % width)};
    }
    void emit(const held& h, happening kind) {
        const auto& m = members_[h->member];
        events_.push_back(
            {.at = now_, .pid = m.pid, .thread = 1, .process = m.label, .type = std::move(kind)});
    }
    void emit_by_test(happening kind) {
        events_.push_back(
            {.at = now_, .pid = test_pid, .thread = 1, .process = "test", .type = std::move(kind)});
    }

    void ask_for_something(std::size_t who) {
        if (events_.size() >= options_.events) { return; }
        auto& l = locks_[random_() % locks_.size()];
        auto h = std::make_shared<ask>();
        h->member = who;
        h->what = {.name = l.name,
                   .owner = "owner:" + std::to_string(++owners_),
                   .lease = between(300ms, 600ms)};
        if (l.kind == 1 && percent() < 60) { h->what.mode = mode::shared; }
        if (l.kind == 2) {
            h->what.mode = mode::permits;
            h->what.limit = 3;
            h->what.n = 1 + percent() % 2;
        }
        emit(h, h->what);
        later_do(way, [this, &l, h] {
            l.queue.push_back(h);
            settle(l);
        });
        const auto chance = percent();
        if (chance < 8) {
            later_do(between(1ms, 20ms), [this, &l, h] { give_up(l, h); });
        } else if (chance < 10) {
            later_do(between(1ms, 20ms), [this, &l, h] {
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
        while (!l.queue.empty() && fits(l, l.queue.front()->what)) {
            const auto h = l.queue.front();
            leave(l, h);
            count(l, h->what, 1);
            h->token = h->what.mode == mode::shared ? l.epoch : ++l.epoch;
            h->n = now_ + valid_for(h->what.lease);
            h->expires = now_ + h->what.lease;
            later_do(way, [this, &l, h] { hold(l, h); });
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
        later_do(wait, [this, &l, h] {
            count(l, h->what, -1U); // unsigned arithmetic: takes off what was put on
            settle(l);
        });
    }

    void go_on(const held& h, nanoseconds wait) {
        later_do(wait, [this, who = h->member] { ask_for_something(who); });
    }

    void hold(lock& l, const held& h) {
        emit(h,
             granted{
                 .name = l.name, .owner = h->what.owner, .token = h->token, .valid_until = h->n});
        const auto op_status = percent();
        if (op_status < 80) {
            const auto length = between(100us, 3ms);
            later_do(length / 2, [this, &l, h] { write(l, h); });
            later_do(length, [this, &l, h] { release(l, h); });
        } else if (op_status < 86) {
            renew(l, h, 1 + percent() % 6);
        } else if (op_status < 90) {
            stop(l, h, now_ + between(1ms, 5ms), h->expires + between(10ms, 90ms));
        } else if (op_status < 93) {
            lose(l, h, h->n + between(0ms, 20ms));
            free_after(h->expires - now_, l, h);
        } else if (op_status < 97) {
            later_do(between(0ms, 2ms), [this, &l, h] { kill(l, h, h->expires - now_); });
        } else {
            later_do(between(0ms, 2ms), [this, &l, h] { break_it(l, h); });
        }
    }

    void give_up(lock& l, const held& h) {
        if (!h->queued) { return; }
        leave(l, h);
        emit(h, gave_up{.name = l.name, .owner = h->what.owner});
        settle(l);
        go_on(h, between(1ms, 5ms));
    }

    void write(lock& l, const held& h) {
        if (h->what.mode != mode::exclusive) { return; }
        const bool fresh = h->token >= l.last_written;
        wrote w{.name = l.name,
                .owner = h->what.owner,
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
        emit(h, released{.name = l.name, .owner = h->what.owner});
        free_after(way, l, h);
        go_on(h, between(100us, 5ms));
    }

    void renew(lock& l, const held& h, unsigned times) {
        later_do(h->what.lease / 3, [this, &l, h, times] {
            if (times == 0) { return release(l, h); }
            h->n = now_ - 2 * way + valid_for(h->what.lease);
            h->expires = now_ - way + h->what.lease;
            emit(h, renewed{.name = l.name, .owner = h->what.owner, .valid_until = h->n});
            renew(l, h, times - 1);
        });
    }

    void lose(lock& l, const held& h, stamp fired) {
        later_do(fired - now_, [this, &l, h, fired] {
            emit(h,
                 lost{.name = l.name, .owner = h->what.owner, .valid_until = h->n, .fired = fired});
            go_on(h, between(1ms, 5ms));
        });
    }

    void stop(lock& l, const held& h, stamp from, stamp to) {
        free_after(h->expires - now_, l, h);
        later_do(to - now_, [this, h, from, to] {
            emit_by_test(resumed{.victim = members_[h->member].pid, .from = from, .to = to});
        });
        later_do(to - now_ + 1ms, [this, &l, h] { write(l, h); });
        lose(l, h, to + between(2ms, 90ms));
    }

    /// Kills a holder, whose hold is then freed at once or at the end of its lease; or a waiter.
    void kill(lock& l, const held& h, nanoseconds rest_of_lease) {
        const bool waiter = h->queued;
        if (waiter) { leave(l, h); }
        const int victim = members_[h->member].pid;
        members_[h->member].pid = next_pid_++;
        later_do(1ms, [this, victim, sent = now_] {
            emit_by_test(killed{.victim = victim, .sent = sent});
        });
        if (waiter) {
            settle(l);
        } else {
            free_after(percent() < 50 ? 100us : rest_of_lease, l, h);
        }
        go_on(h, between(2ms, 10ms));
    }

    void break_it(lock& l, const held& h) {
        free_after(way, l, h);
        later_do(2 * way, [this, &l, h, sent = now_] {
            emit_by_test(broken{.name = l.name, .token = h->token, .sent = sent});
        });
        lose(l, h, now_ + between(1ms, 10ms));
    }

    generate_options options_;
    std::mt19937_64 random_;
    std::vector<lock> locks_{};
    std::vector<member> members_{};
    std::priority_queue<task> agenda_{};
    std::vector<event> events_{};
    stamp now_{1s};
    int next_pid_{100};
    std::uint64_t tasks_{0};
    std::uint64_t owners_{0};
};

} // namespace

std::vector<event> generate(const generate_options& options) { return fleet{options}.run(); }

} // namespace holdfast::history
