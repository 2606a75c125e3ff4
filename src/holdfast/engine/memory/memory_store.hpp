#pragma once
// The locks of all clients of one `memory:NAME`.

#include "holdfast/base/clock.hpp"
#include "holdfast/base/random.hpp"
#include "holdfast/engine/admission/admission_rule.hpp"
#include "holdfast/engine/admission/cell_rule.hpp"
#include "holdfast/engine/admission/list_queue.hpp"
#include "holdfast/engine/answers.hpp"
#include "holdfast/engine/memory/mailbox.hpp"
#include "holdfast/engine/ops.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <queue>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace holdfast::engine::memory {

/// Thread safety: full; one mutex, held for one operation. The clock is read under it, so that time
/// never goes back from one operation to the next.
class memory_store {
public:
    using pushes = std::vector<admission::push>;

    /// The store of this name; created if no client uses it yet.
    [[nodiscard]] static std::shared_ptr<memory_store> find_or_make_store(const std::string& name);

    /// Identifies the store and its data: a store that is made anew has another. Never 0.
    [[nodiscard]] std::uint64_t id() const noexcept { return id_; }

    void join(const base::client_id& client, std::shared_ptr<mailbox> inbox);
    void leave(const base::client_id& client);
    /// Puts a notice into the client's mailbox; dropped if the client has left.
    void deliver(const admission::push& push);

    [[nodiscard]] answer acquire(const acquire_op& operation,
                                 const admission::client_process& process,
                                 const base::time_source& time, pushes& out);
    [[nodiscard]] answer beat(const beat_op& operation, const admission::client_process& process,
                              const base::time_source& time, pushes& out);
    [[nodiscard]] op_status release(const release_op& operation, const base::time_source& time,
                                    pushes& out);
    [[nodiscard]] answer acquire_set(const acquire_set_op& operation,
                                     const admission::client_process& process,
                                     const base::time_source& time, pushes& out);
    [[nodiscard]] answer release_set(const release_set_op& operation, const base::time_source& time,
                                     pushes& out);
    [[nodiscard]] answer downgrade(const downgrade_op& operation, const base::time_source& time,
                                   pushes& out);
    [[nodiscard]] answer resize(const resize_op& operation, const base::time_source& time,
                                pushes& out);
    [[nodiscard]] op_status withdraw(const withdraw_op& operation, const base::time_source& time,
                                     pushes& out);
    [[nodiscard]] op_status break_lock(const break_op& operation, const base::time_source& time,
                                       pushes& out);
    [[nodiscard]] lock_info inspect(const std::string& name, const base::time_source& time,
                                    pushes& out);
    /// Names that are in use, in order. A page may be short though more follow, because one page
    /// reads a limited number of names.
    [[nodiscard]] report list(const list_op& operation, const base::time_source& time, pushes& out);
    [[nodiscard]] answer use_cell(const cell_op& operation, const base::time_source& time,
                                  pushes& out);
    [[nodiscard]] std::size_t size() const; ///< names, idle ones included

private:
    struct entry {
        admission::record state;
        admission::list_queue queue;
    };
    struct name_hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view name) const noexcept {
            return std::hash<std::string_view>{}(name);
        }
    };
    using names = std::unordered_map<std::string, entry, name_hash, std::equal_to<>>;
    /// The same names in order. The keys of `names` never move, so views of them are safe.
    using order = std::map<std::string_view, entry*>;

    [[nodiscard]] entry* find(std::string_view name);
    [[nodiscard]] entry& find_or_make(const std::string& name, const admission::moment& at,
                                      pushes& out);
    [[nodiscard]] entry& find_or_make_unswept(const std::string& name, const admission::moment& at);
    [[nodiscard]] op_status release(const release_op& operation, const admission::moment& at,
                                    pushes& out);
    void sweep(const admission::moment& at, pushes& out);
    void erase_idle(const names::iterator& idle);
    void sweep_cells(const admission::moment& at);

    const std::uint64_t id_ = base::random_id();
    mutable std::mutex guard_;
    names names_;
    names::value_type* last_ = nullptr; ///< found last; the next operation often has its name
    order order_;
    /// Each name once, with the time of its next idle check; the earliest on top.
    struct idle_check {
        base::instant due{};
        const std::string* name = nullptr; ///< the key in `names`
        bool operator>(const idle_check& other) const noexcept { return due > other.due; }
    };
    std::priority_queue<idle_check, std::vector<idle_check>, std::greater<>> idle_checks_;
    std::uint64_t mark_ = 0; ///< the highest token of all deleted records
    std::map<std::string, admission::cell> cells_;
    std::string last_swept_cell_;

    std::mutex clients_guard_;
    std::map<base::client_id, std::shared_ptr<mailbox>> clients_;
};

} // namespace holdfast::engine::memory
