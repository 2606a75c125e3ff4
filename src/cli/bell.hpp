#pragma once
// A descriptor by which one thread calls another that polls.

#include "holdfast/base/fd.hpp"

namespace holdfast::cli {

/// Readable from the first ring() on. Thread safety: all members, from any thread.
class bell {
public:
    bell(); ///< throws std::system_error if there is no descriptor to be had

    void ring() const noexcept;
    [[nodiscard]] int descriptor() const noexcept { return descriptor_.get(); }

private:
    base::fd descriptor_;
};

} // namespace holdfast::cli
