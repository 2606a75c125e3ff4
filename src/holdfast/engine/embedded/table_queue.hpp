#pragma once
// The queue of one name, in the file.

#include "holdfast/engine/admission/queue.hpp"
#include "holdfast/engine/embedded/tables.hpp"

namespace holdfast::engine::embedded {

/// For one operation inside a transaction. Throws failure.
class table_queue final : public admission::waiter_queue {
public:
    /// REQUIRES: when something is pushed the name has its row in the file, so `of.id` is set.
    table_queue(tables& in, const row& row) noexcept : in_{in}, row_{row} {}

    [[nodiscard]] const admission::waiter* front() override;
    [[nodiscard]] admission::waiter take() override;
    void push(admission::waiter&& waiter) override;
    bool touch(const base::owner_id& owner, base::instant alive_until) override;
    bool erase(const base::owner_id& owner) override;
    [[nodiscard]] std::optional<unsigned> ahead(const base::owner_id& owner) override;
    void visit(const std::function<void(const admission::waiter&)>& see) override;
    unsigned drop_dead(const admission::moment& at) override;

private:
    tables& in_;
    const row& row_;
    std::optional<tables::place> front_; ///< what `front` found, until something changes
};

} // namespace holdfast::engine::embedded
