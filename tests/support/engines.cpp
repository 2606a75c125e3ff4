#include "support/engines.hpp"

#if HOLDFAST_WITH_EMBEDDED
#    include "support/embedded_store.hpp"
#endif
#if HOLDFAST_WITH_REDIS
#    include "support/cluster_store.hpp"
#    include "support/redis_store.hpp"
#    include "support/redlock_store.hpp"
#    include "support/sentinel_store.hpp"
#endif

#include <atomic>
#include <ostream>

namespace holdfast::test {

namespace {

class memory_store final : public store {
public:
    [[nodiscard]] std::string url() const override { return url_; }

private:
    [[nodiscard]] static std::string next_url() {
        static std::atomic<unsigned> count{0};
        return "memory:contract-" + std::to_string(++count);
    }

    std::string url_ = next_url();
};

/// Three memory engines, of which two must agree.
class quorum_store final : public store {
public:
    [[nodiscard]] std::string url() const override { return url_; }

private:
    [[nodiscard]] static std::string next_url() {
        static std::atomic<unsigned> count{0};
        const auto node = "node=memory:vote-" + std::to_string(++count) + '-';
        return "quorum:?max_lease=86400000&" + node + "a&" + node + "b&" + node + 'c';
    }

    std::string url_ = next_url();
};

template <class Store>
std::unique_ptr<store> make() {
    return std::make_unique<Store>();
}

#if HOLDFAST_WITH_REDIS
/// The Redis engine with a foreign layout.
engine_under_test in_layout(std::string name, const std::string& query) {
    return {.name = std::move(name),
            .make_store = [query] { return std::make_unique<redis_store>(query); },
            .dead_url = "redis://127.0.0.1:1" + query};
}
#endif

} // namespace

const std::vector<engine_under_test>& engines() {
    static const std::vector<engine_under_test> all {
        {.name = "memory", .make_store = make<memory_store>, .across_processes = false},
            {.name = "quorum",
             .make_store = make<quorum_store>,
             .across_processes = false,
             .majority = true},
#if HOLDFAST_WITH_EMBEDDED
            {.name = "embedded",
             .make_store = make<embedded_store>,
             .dead_url = "embedded:/proc/no-such-folder/locks"},
#endif
#if HOLDFAST_WITH_REDIS
            {.name = "redis", .make_store = make<redis_store>, .dead_url = "redis://127.0.0.1:1"},
            in_layout("redis_plain", "?layout=plain"),
            in_layout("redis_plain_fenced", "?layout=plain&fencing=yes"),
            in_layout("redis_redisson", "?layout=redisson&fencing=yes"),
            in_layout("redis_redisson_fair", "?layout=redisson_fair"),
            {.name = "redis_sentinel",
             .make_store = make<sentinel_store>,
             .dead_url = "redis+sentinel://127.0.0.1:1/mymaster"},
            {.name = "redis_cluster",
             .make_store = make<cluster_store>,
             .dead_url = "redis+cluster://127.0.0.1:1,127.0.0.1:2"},
            {.name = "redlock",
             .make_store = make<redlock_store>,
             .majority = true,
             .dead_url = "redlock://127.0.0.1:1,127.0.0.1:2,127.0.0.1:3"},
#endif
    };
    return all;
}

void PrintTo(const engine_under_test& engine, std::ostream* out) { *out << engine.name; }

} // namespace holdfast::test
