// Hash slots: as Redis computes them, with CLUSTER KEYSLOT as the reference for the numbers.

#include "holdfast/engine/redis/protocol/hash_slot.hpp"
#include "holdfast/engine/redis/protocol/wire_text.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace holdfast::engine::redis {
namespace {

TEST(redis_hash_slot, is_that_of_redis) {
    EXPECT_EQ(crc16("123456789"), 0x31c3);
    EXPECT_EQ(hash_slot("a"), 15'495U);
    EXPECT_EQ(hash_slot("hf:{x}"), 16'287U);
    EXPECT_EQ(hash_slot(""), 0U);
}

TEST(redis_hash_slot, is_of_the_first_part_in_braces) {
    struct row {
        const char* key;
        const char* hashed;
    };
    for (const auto& [key, hashed] :
         {row{"{user}.following", "user"}, row{"a{b}c", "b"}, row{"a{b}{c}", "b"},
          row{"{a{b}c}", "a{b"}, row{"}a{b}", "b"}}) {
        EXPECT_EQ(hash_slot(key), crc16(hashed) % slot_count) << key;
    }
    for (const std::string key : {"a{b", "a}b", "{}b", "a{}{b}", "}{"}) {
        EXPECT_EQ(hash_slot(key), crc16(key) % slot_count) << key << ": all of it";
    }
}

TEST(redis_hash_slot, of_a_prefix_and_a_name_is_that_of_the_whole_key) {
    const std::vector<std::string> parts{"",   "a",   "a:",  "{",   "}",    "{}",   "{a}", "a{b",
                                         "b}", "}b{", "{{a", "a}}", "x{}y", "x{y}", "{x",  "%7B"};
    for (const auto& prefix : parts) {
        for (const auto& name : parts) {
            EXPECT_EQ(hash_slot(prefix, name), hash_slot(prefix + name)) << prefix << ' ' << name;
        }
    }
}

TEST(redis_hash_slot, of_a_native_lock_is_that_of_all_its_keys) {
    for (const std::string name : {"a", "stock:1001", "{a}b", "}x", "{", "%", "a{}b", "50%{x}"}) {
        std::string key = "hf:{";
        append_encoded(key, name);
        key += '}';
        EXPECT_EQ(native_slot(name), hash_slot(key)) << name;
        EXPECT_EQ(native_slot(name), hash_slot(key + ":q")) << name;
    }
}

TEST(redis_hash_slot, has_a_tag_for_each_slot) {
    std::set<std::string> seen;
    for (unsigned slot = 0; slot < slot_count; ++slot) {
        const auto tag = slot_tag(slot);
        EXPECT_EQ(hash_slot("hf:mark:{" + tag + '}'), slot);
        EXPECT_TRUE(seen.insert(tag).second);
    }
}

} // namespace
} // namespace holdfast::engine::redis
