#pragma once
// The holds of a recursive_mutex: counted per client, name and thread.

#include "holdfast/api/thread_holds.hpp"
#include "holdfast/core/recursion.hpp"

#include <string>

namespace holdfast::api {

/// The counts are the client's: all objects of one name share them, and they outlive the object.
class counted_holds final : public thread_holds {
public:
    explicit counted_holds(const lock_object& lock);

    [[nodiscard]] relock_result lock_again(const acquire_call& call) override;
    void add(const std::shared_ptr<core::hold>& hold) override;
    [[nodiscard]] removed remove(mode mode) override;
    [[nodiscard]] std::shared_ptr<core::hold> find() const override { return entry().held; }
    [[nodiscard]] unsigned count() const override { return entry().count; }

private:
    [[nodiscard]] core::recursion::entry entry() const;

    const lock_object& lock_;
    std::string key_; ///< layout and name: in another layout it is another lock
};

} // namespace holdfast::api
