#include "holdfast/drive/timer_heap.hpp"

#include "holdfast/base/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace holdfast::drive {
namespace {

using base::instant;
using base::milliseconds;
using base::never;

instant at(int ms) { return instant{milliseconds{ms}}; }

TEST(timer_heap, returns_the_earliest_timer_first) {
    timer_heap heap;
    timer_node a;
    timer_node b;
    heap.set(a, at(20));
    heap.set(b, at(10));
    EXPECT_EQ(heap.first(), &b);
    heap.set(b, at(30));
    EXPECT_EQ(heap.first(), &a);
    EXPECT_EQ(heap.next(), at(20));
    heap.drop(a);
    heap.drop(b);
    EXPECT_EQ(heap.next(), never);
}

TEST(timer_heap, drops_a_timer_that_is_set_to_never_and_may_drop_it_twice) {
    timer_heap heap;
    timer_node a;
    heap.set(a, at(20));
    heap.set(a, never);
    heap.drop(a);
    EXPECT_EQ(heap.size(), 0U);
    heap.set(a, at(5));
    EXPECT_EQ(heap.first(), &a);
    heap.drop(a);
}

TEST(timer_heap, agrees_with_a_sorted_list_for_random_operations) {
    base::jitter chance{7};
    std::array<timer_node, 200> nodes;
    timer_heap heap;
    for (int step = 0; step < 20'000; ++step) {
        auto& node = nodes.at(chance.below(nodes.size()));
        if (chance.below(3) == 0) {
            heap.drop(node);
        } else {
            heap.set(node, at(static_cast<int>(chance.below(1'000))));
        }
        const auto least =
            std::min_element(nodes.begin(), nodes.end(),
                             [](const auto& a, const auto& b) { return a.due() < b.due(); });
        ASSERT_EQ(heap.next(), least->due());
    }
    for (auto& node : nodes) { heap.drop(node); }
    EXPECT_EQ(heap.size(), 0U);
}

} // namespace
} // namespace holdfast::drive
