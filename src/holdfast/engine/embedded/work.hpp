#pragma once
// What each operation does to the tables, inside a transaction that its caller begins and ends.

#include "holdfast/engine/admission/gate.hpp"
#include "holdfast/engine/answers.hpp"
#include "holdfast/engine/embedded/tables.hpp"
#include "holdfast/engine/ops.hpp"

#include <string>
#include <vector>

namespace holdfast::engine::embedded {

/// Only looks, so a reading transaction will do.
[[nodiscard]] bool only_reads(const op& what) noexcept;

/// The operations of one transaction. Throws failure.
class work {
public:
    work(tables& on, const admission::moment& at, const admission::place& from,
         std::vector<admission::push>& pushes) noexcept
        : on_{on}, at_{at}, from_{from}, pushes_{pushes} {}

    [[nodiscard]] answer run(const op& what, const std::string& path);

    /// Forgets idle names among the `most` rows after `after`. Says where to go on; 0: at the
    /// beginning.
    [[nodiscard]] std::int64_t sweep(std::int64_t after, std::int64_t most);

private:
    [[nodiscard]] answer run(const acquire_op& what);
    [[nodiscard]] answer run(const beat_op& what);
    [[nodiscard]] answer run(const release_op& what);
    [[nodiscard]] answer run(const withdraw_op& what);
    [[nodiscard]] answer run(const break_op& what);
    [[nodiscard]] answer run(const inspect_op& what);
    [[nodiscard]] answer run(const list_op& what);
    [[nodiscard]] answer diagnose(const std::string& path);

    /// Lets `judge` use the gate of a name and stores what changed.
    template <typename Judge>
    auto judged(const std::string& name, Judge&& judge);
    [[nodiscard]] lock_info look(const std::string& name, row&& found);

    tables& on_;
    const admission::moment& at_;
    const admission::place& from_;
    std::vector<admission::push>& pushes_;
};

} // namespace holdfast::engine::embedded
