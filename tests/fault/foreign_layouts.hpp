#pragma once
// The foreign layouts, as parameters of tests.

#include "fault/redis_fixture.hpp"

#include <ostream>
#include <string>

namespace holdfast::test {

struct foreign_layout_case {
    std::string name;
    lock_options options;
    std::string acquires; ///< the bytes by which the proxy knows an acquire
    std::string releases;
    std::string renews;
};

// NOLINTNEXTLINE(readability-identifier-naming): gtest's
inline void PrintTo(const foreign_layout_case& value, std::ostream* out) { *out << value.name; }

[[nodiscard]] inline auto all_foreign_layouts() {
    const lock_options plain{.layout = layout::plain};
    const lock_options plain_fenced{.layout = layout::plain, .fencing = true};
    const lock_options redisson{.layout = layout::redisson};
    const lock_options redisson_fenced{.layout = layout::redisson, .fencing = true};
    const lock_options redisson_fair{.layout = layout::redisson_fair};
    return testing::Values(
        foreign_layout_case{"plain", plain, "\r\nSET\r\n", call_of(scripts::plain_release),
                            call_of(scripts::plain_beat)},
        foreign_layout_case{"plain_fenced", plain_fenced, call_of(scripts::plain_acquire),
                            call_of(scripts::plain_release), call_of(scripts::plain_beat)},
        foreign_layout_case{"redisson", redisson, call_of(scripts::redisson_acquire),
                            call_of(scripts::redisson_release), call_of(scripts::redisson_beat)},
        foreign_layout_case{"redisson_fenced", redisson_fenced, call_of(scripts::redisson_acquire),
                            call_of(scripts::redisson_release), call_of(scripts::redisson_beat)},
        foreign_layout_case{"redisson_fair", redisson_fair, call_of(scripts::redisson_fair_acquire),
                            call_of(scripts::redisson_fair_release),
                            call_of(scripts::redisson_beat)});
}

/// For INSTANTIATE_TEST_SUITE_P.
[[nodiscard]] inline std::string
layout_name(const testing::TestParamInfo<foreign_layout_case>& value) {
    return value.param.name;
}

} // namespace holdfast::test
