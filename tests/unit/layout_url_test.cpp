// The layout options of a URL.

#include "holdfast/engine/factory.hpp"

#include <holdfast/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#if HOLDFAST_WITH_REDIS

namespace {

using holdfast::errc;
using holdfast::layout;
using holdfast::primitive;
namespace engine = holdfast::engine;

engine::capabilities caps(const std::string& url, const engine::lock_format& format = {}) {
    return engine::make_engine(engine::url::parse(url), engine::this_process())
        ->caps_in(primitive::mutex, format);
}

TEST(layout_url, is_native_unless_it_says_otherwise) {
    EXPECT_EQ(caps("redis://h").layout, layout::native);
    EXPECT_EQ(caps("redis://h?layout=native").layout, layout::native);
    EXPECT_EQ(caps("redis://h?layout=plain").layout, layout::plain);
    EXPECT_EQ(caps("redis+unix:///s?layout=redisson").layout, layout::redisson);
    EXPECT_EQ(caps("redis://h?layout=redisson_fair").layout, layout::redisson_fair);
}

TEST(layout_url, is_overridden_by_the_lock) {
    EXPECT_EQ(caps("redis://h?layout=plain", {layout::native, {}}).layout, layout::native);
    EXPECT_EQ(caps("redis://h", {layout::redisson, {}}).layout, layout::redisson);
    EXPECT_TRUE(caps("redis://h", {layout::plain, true}).fencing);
    EXPECT_TRUE(caps("redis://h?layout=plain&fencing=yes").fencing);
    EXPECT_FALSE(caps("redis://h?layout=plain").fencing);
    EXPECT_FALSE(caps("redis://h?layout=plain&fencing=yes", {{}, false}).fencing);
    EXPECT_TRUE(caps("redis://h", {{}, false}).fencing) << "native always has tokens";
}

TEST(layout_url, limits_the_capabilities) {
    for (const auto in : {layout::plain, layout::redisson}) {
        const auto can = caps("redis://h", {in, true});
        EXPECT_TRUE(can.supported && can.knows_layout && can.fencing);
        EXPECT_FALSE(can.fifo || can.min_hold || can.notes || can.lists || can.sees_waiters);
        EXPECT_EQ(can.queue, engine::queueing::hint);
    }
    const auto made = engine::make_engine(engine::url::parse("redis://h"), engine::this_process());
    EXPECT_FALSE(made->caps_in(primitive::shared_mutex, {layout::plain, {}}).supported);
    EXPECT_FALSE(made->caps_in(primitive::semaphore, {layout::plain, {}}).supported);
    EXPECT_TRUE(made->caps_in(primitive::shared_mutex, {layout::redisson, {}}).supported);
    EXPECT_TRUE(made->caps_in(primitive::semaphore, {layout::redisson, {}}).supported);
    EXPECT_FALSE(made->caps_in(primitive::semaphore, {layout::redisson, true}).fencing);
    EXPECT_FALSE(made->caps_in(primitive::shared_mutex, {layout::redisson_fair, {}}).supported);
    EXPECT_FALSE(made->caps_in(primitive::semaphore, {layout::redisson_fair, {}}).supported);
    EXPECT_TRUE(made->caps_in(primitive::mutex, {layout::redisson_fair, {}}).supported);
    EXPECT_FALSE(made->caps_in(primitive::mutex, {layout::redisson_fair, true}).fencing);
    EXPECT_FALSE(caps("memory:", {layout::plain, {}}).knows_layout);
    EXPECT_TRUE(caps("memory:", {layout::native, {}}).knows_layout);
}

TEST(layout_url, is_refused_if_it_is_invalid) {
    for (const auto& query :
         {std::string{"layout=jedis"}, std::string{"layout="}, std::string{"fencing=1"},
          std::string{"sharded=true"}, "key_prefix=" + std::string(65, 'x')}) {
        try {
            (void)caps("redis://h?" + query);
            ADD_FAILURE() << query;
        } catch (const holdfast::error& error) {
            EXPECT_EQ(error.code(), errc::invalid_url) << query;
            EXPECT_THAT(error.what(), testing::HasSubstr(query.substr(0, query.find('='))));
        }
    }
}

} // namespace

#endif
