#pragma once
// The holds of a mutex or shared_mutex: at most one per thread.

#include "holdfast/api/thread_holds.hpp"

#include <cstdint>
#include <mutex>
#include <vector>

namespace holdfast::api {

/// A lost hold stays here until its thread unlocks.
class single_holds final : public thread_holds {
public:
    explicit single_holds(const lock_object& lock) noexcept : lock_{lock} {}
    ~single_holds() override; ///< releases what threads still hold

    [[nodiscard]] relock_result lock_again(const acquire_call& call) override;
    [[nodiscard]] relock_result count_again(const acquire_call& call) override;
    void add(const std::shared_ptr<core::hold>& hold) override;
    [[nodiscard]] removed remove(mode mode) override;
    [[nodiscard]] std::shared_ptr<core::hold> find() const override;
    [[nodiscard]] unsigned count() const override { return find() ? 1 : 0; }

private:
    struct entry {
        std::uint64_t thread;
        std::shared_ptr<core::hold> hold;
    };

    [[nodiscard]] relock_result refuse(const acquire_call& call, const core::hold& held) const;

    const lock_object& lock_;
    mutable std::mutex mutex_;
    std::vector<entry> entries_;
};

} // namespace holdfast::api
