#pragma once
// The waiter queue of one name, in memory.

#include "holdfast/engine/admission/queue.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>

namespace holdfast::engine::admission {

struct owner_hash {
    [[nodiscard]] std::size_t operator()(const base::owner_id& owner) const noexcept;
};

/// A list for the order and a map from owner to list node: constant time at any length.
class list_queue final : public waiter_queue {
public:
    [[nodiscard]] const waiter* front() override;
    [[nodiscard]] waiter take() override;
    void push(waiter&& waiter) override;
    bool touch(const base::owner_id& owner, base::instant alive_until) override;
    bool erase(const base::owner_id& owner) override;
    [[nodiscard]] std::optional<unsigned> ahead(const base::owner_id& owner) override;
    void visit(const std::function<void(const waiter&)>& visitor) override;
    unsigned drop_dead(const moment& at) override;

private:
    struct entry {
        std::uint64_t serial = 0;
        holdfast::engine::admission::waiter waiter;
    };
    using order = std::list<entry>;

    order order_;
    std::unordered_map<base::owner_id, order::iterator, owner_hash> by_owner_;
    std::uint64_t next_serial_ = 0;
};

} // namespace holdfast::engine::admission
