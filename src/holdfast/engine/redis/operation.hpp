#pragma once
// One submitted operation: it issues requests and is answered once.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/answers.hpp"
#include "holdfast/engine/ops.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

namespace holdfast::engine::redis {

class command_channel;
class node;
class operation;
class operations;

/// Gets the answer of an operation that is a part of another one.
class answer_receiver {
public:
    answer_receiver() = default;
    answer_receiver(const answer_receiver&) = delete;
    answer_receiver& operator=(const answer_receiver&) = delete;
    virtual ~answer_receiver() = default;

    virtual void on_answer(const operation& part, answer&& answer) = 0;
};

/// What a cluster needs to send an operation to another node.
struct routing {
    /// As they were submitted, by their kinds: a copy over one of the same kind allocates nothing.
    std::array<std::unique_ptr<op>, std::variant_size_v<op>> copies{};
    const op* sent = nullptr;    ///< that of this operation
    node* at = nullptr;          ///< the node that must get it; null: that of its lock
    unsigned redirections = 0;   ///< so far
    bool asking_first = false;   ///< ASKING must precede its next request
    bool withdrawn = false;      ///< an acquire whose ticket's withdrawal was submitted behind it
    bool slot_is_moving = false; ///< its slot is being moved: its other keys may be elsewhere
    std::vector<std::size_t> elsewhere{}; ///< beat: items whose locks another node has

    /// The slot may have stayed where it was, so that node is asked again.
    void forget_ask() noexcept {
        at = nullptr;
        asking_first = slot_is_moving = false;
    }
    void keep(const op& op) {
        auto& copy = copies[op.index()];
        if (copy == nullptr) {
            copy = std::make_unique<holdfast::engine::op>(op);
        } else if (copy.get() != &op) {
            *copy = op;
        }
        sent = copy.get();
    }
    void start() noexcept {
        sent = nullptr;
        at = nullptr;
        redirections = 0;
        asking_first = slot_is_moving = withdrawn = false;
    }
};

/// A page of a list while its names are being inspected.
struct list_page {
    report found{};
    std::vector<std::string> names{};
    std::size_t missing = 0; ///< inspections that are not answered yet
};

/// What a node_joiner knows of a server so far.
struct join_progress {
    base::milliseconds max_lease{0};
    base::milliseconds uptime{0};
    bool used_before = false; ///< a client has joined it since it was started
    join_mode mode = join_mode::look;
    base::instant not_after = base::never;
    std::uint64_t run_id = 0; ///< the first digits
};

/// What a layout keeps of an acquire or a release; most of it is for polling layouts.
struct acquire_terms {
    base::milliseconds lease{0};
    primitive kind = primitive::mutex;
    holdfast::mode mode = holdfast::mode::exclusive;
    unsigned permits = 1;
    unsigned limit = 1;
    bool fenced = false;
    bool waits = false;      ///< until the lock is free
    bool subscribed = false; ///< to the lock's channel since before it was sent
    bool resent = false;     ///< a release that was sent before, without an answer
    bool remembered = false; ///< a release that leaves a release memory on the server
    bool withdrawn = false;  ///< its ticket's withdrawal was sent behind it: no further request
};

/// Issues one or several requests (a retry by script, the inspections of a list, the withdrawal of
/// a cancelled acquire) and is answered exactly once.
///
///  open        complete, fail: completed | cancel: cancelled | engine reset: completed, silently
///  completed   later replies to it are dropped
///  cancelled   likewise; the layout withdraws a grant that still arrives
///
/// Its memory is reused when no `operation_ref` is left: see `operations`.
///
/// Thread safety: none.
class operation {
public:
    operation() = default;
    operation(const operation&) = delete;
    operation& operator=(const operation&) = delete;
    ~operation() = default;

    [[nodiscard]] op_id id() const noexcept { return id_; }
    [[nodiscard]] base::instant give_up() const noexcept { return give_up_; }
    [[nodiscard]] bool is_open() const noexcept { return state_ == state::open; }
    [[nodiscard]] bool is_cancelled() const noexcept { return state_ == state::cancelled; }

    /// Answers it, unless it is completed or cancelled already.
    void complete(answer&& answer);
    void complete(op_status status);
    void complete(report&& report);
    void fail(std::error_code code, const std::string& detail, op_status status = op_status::failed,
              bool retry_now = false);

    /// Its parts are answered in time, so it needs no deadline.
    void leave_deadline_to_parts() noexcept { give_up_ = base::never; }
    /// It begins again: what the layout has kept of the last request is void.
    void forget_requests() noexcept {
        not_after = base::never;
        not_after_us = 0;
        token = 0;
        renews = needs_replicas = awaits_replicas = only_own_writes = false;
        items.clear();
        terms = {};
        routing.elsewhere.clear();
    }

    // What the layout keeps for the replies.
    command_channel* channel = nullptr; ///< null: it waits for a connection
    base::instant sent{};               ///< when its last request was enqueued
    holdfast::engine::ticket ticket{};  ///< inspect: only the name; list: the cursor as name
    base::instant not_after = base::never;
    /// Acquire, withdraw if the ticket asks again, and a beat that reclaims: as it was sent, or an
    /// upper bound, in the server's time.
    std::int64_t not_after_us = 0;
    std::uint64_t token = 0;      ///< release: to be sent along; 0: not needed
    unsigned page_size = 0;       ///< list
    bool renews = false;          ///< beat: it renews a lease
    bool needs_replicas = false;  ///< counts only when replicas have it: see replica_wait
    bool awaits_replicas = false; ///< its reply is here, and is held back
    bool only_own_writes = false; ///< a reply that needs replicas tells of a write of its own
    std::vector<holdfast::engine::ticket> items{}; ///< beat
    acquire_terms terms{};
    std::unique_ptr<list_page> page{};
    std::unique_ptr<join_progress> join{};
    redis::routing routing{};
    std::shared_ptr<answer_receiver> receiver{}; ///< null: the sink

private:
    friend class operations;
    friend class operation_ref;
    enum class state : std::uint8_t { open, completed, cancelled };

    void start(op_id id, base::instant give_up, state initial) noexcept;

    op_id id_ = 0;
    base::instant give_up_ = base::never;
    state state_ = state::completed;
    operations* pool_ = nullptr;
    std::size_t uses_ = 0;         ///< the number of `operation_ref`s
    std::size_t active_index_ = 0; ///< in operations::active_
};

/// Keeps an operation in use.
class operation_ref {
public:
    operation_ref() = default;
    explicit operation_ref(operation& operation) noexcept : operation_{&operation} {
        ++operation.uses_;
    }
    operation_ref(const operation_ref& other) noexcept : operation_{other.operation_} {
        if (operation_ != nullptr) { ++operation_->uses_; }
    }
    operation_ref(operation_ref&& other) noexcept
        : operation_{std::exchange(other.operation_, nullptr)} {}
    operation_ref& operator=(operation_ref other) noexcept {
        std::swap(operation_, other.operation_);
        return *this;
    }
    ~operation_ref() { reset(); }

    void reset() noexcept {
        if (operation_ != nullptr) { release(); }
    }
    [[nodiscard]] operation* get() const noexcept { return operation_; }
    [[nodiscard]] operation& operator*() const noexcept { return *operation_; }
    [[nodiscard]] operation* operator->() const noexcept { return operation_; }
    [[nodiscard]] explicit operator bool() const noexcept { return operation_ != nullptr; }

private:
    void release() noexcept;

    operation* operation_ = nullptr;
};

} // namespace holdfast::engine::redis
