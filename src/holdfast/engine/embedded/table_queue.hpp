#pragma once
// The waiter queue of one name, in the tables.

#include "holdfast/engine/admission/queue.hpp"
#include "holdfast/engine/embedded/tables.hpp"

namespace holdfast::engine::embedded {

/// For one operation inside a transaction. Throws failure.
class table_queue final : public admission::waiter_queue {
public:
    /// REQUIRES: when a waiter is pushed, the name has its row in the file: `row.id` is set.
    table_queue(tables& tables, const row& row) noexcept : tables_{tables}, row_{row} {}

    [[nodiscard]] const admission::waiter* front() override;
    [[nodiscard]] admission::waiter take() override;
    void push(admission::waiter&& waiter) override;
    bool touch(const base::owner_id& owner, base::instant alive_until) override;
    bool erase(const base::owner_id& owner) override;
    [[nodiscard]] std::optional<unsigned> ahead(const base::owner_id& owner) override;
    void visit(const std::function<void(const admission::waiter&)>& visitor) override;
    unsigned drop_dead(const admission::moment& at) override;

private:
    embedded::tables& tables_;
    const row& row_;
    std::optional<tables::queued_waiter> front_; ///< cached by `front`
};

} // namespace holdfast::engine::embedded
