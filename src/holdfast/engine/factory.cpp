#include "holdfast/engine/factory.hpp"

#include "holdfast/base/process.hpp"
#include "holdfast/engine/memory/memory.hpp"
#include "holdfast/engine/quorum/quorum.hpp"
#if HOLDFAST_WITH_EMBEDDED
#    include "holdfast/engine/embedded/embedded.hpp"
#endif
#if HOLDFAST_WITH_REDIS
#    include "holdfast/engine/redis/redis.hpp"
#endif

#include <holdfast/error.hpp>

#include <algorithm>
#include <array>
#include <string_view>
#include <unistd.h>

namespace holdfast::engine {

namespace {

struct known_engine {
    std::string_view scheme;
    std::unique_ptr<engine> (*make)(const url&, const client_identity&);
};

/// A null `make`: an engine that this build does not include.
constexpr std::array known_engines {
#if HOLDFAST_WITH_EMBEDDED
    known_engine{"embedded", embedded::make},
#else
    known_engine{"embedded", nullptr},
#endif
        known_engine{"memory", memory::make},
#if HOLDFAST_WITH_REDIS
        known_engine{"redis", redis::make},
        known_engine{"rediss", HOLDFAST_WITH_TLS ? redis::make : nullptr},
        known_engine{"redis+unix", redis::make}, known_engine{"redis+sentinel", redis::make},
        known_engine{"rediss+sentinel", HOLDFAST_WITH_TLS ? redis::make : nullptr},
        known_engine{"redis+cluster", redis::make},
        known_engine{"rediss+cluster", HOLDFAST_WITH_TLS ? redis::make : nullptr},
        known_engine{"redlock", quorum::make_redlock},
        known_engine{"redlocks", HOLDFAST_WITH_TLS ? quorum::make_redlock : nullptr},
#else
        known_engine{"redis", nullptr}, known_engine{"rediss", nullptr},
        known_engine{"redis+unix", nullptr}, known_engine{"redis+sentinel", nullptr},
        known_engine{"rediss+sentinel", nullptr}, known_engine{"redis+cluster", nullptr},
        known_engine{"rediss+cluster", nullptr}, known_engine{"redlock", nullptr},
        known_engine{"redlocks", nullptr},
#endif
        known_engine{"quorum", quorum::make_quorum}, known_engine{"etcd", nullptr},
        known_engine{"zk", nullptr},
};

std::string built_schemes() {
    std::string list;
    for (const auto& known : known_engines) {
        if (known.make == nullptr) { continue; }
        list += (list.empty() ? "" : ", ") + std::string{known.scheme} + ":";
    }
    return list;
}

} // namespace

client_identity this_process() {
    client_identity here;
    here.client = base::client_id::make();
    here.host = base::host_name();
    here.pid = ::getpid();
    here.boot = base::boot_id();
    return here;
}

std::unique_ptr<engine> make_engine(const url& url, const client_identity& identity) {
    const auto* const found =
        std::find_if(known_engines.begin(), known_engines.end(),
                     [&](const known_engine& known) { return known.scheme == url.scheme; });
    if (found == known_engines.end()) {
        throw error{errc::unsupported, "URL: there is no engine '" + url.scheme +
                                           "'; this build has " + built_schemes()};
    }
    if (found->make == nullptr) {
        throw error{errc::unsupported,
                    "URL: " + url.scheme + ": is not in this build, which has " + built_schemes()};
    }
    return found->make(url, identity);
}

} // namespace holdfast::engine
