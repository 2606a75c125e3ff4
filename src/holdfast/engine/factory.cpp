#include "holdfast/engine/factory.hpp"

#include "holdfast/base/process.hpp"
#include "holdfast/engine/checkup.hpp"
#include "holdfast/engine/memory/memory.hpp"
#include "holdfast/engine/quorum/checkup.hpp"
#include "holdfast/engine/quorum/quorum.hpp"
#if HOLDFAST_WITH_EMBEDDED
#    include "holdfast/engine/embedded/checkup.hpp"
#    include "holdfast/engine/embedded/embedded.hpp"
#endif
#if HOLDFAST_WITH_REDIS
#    include "holdfast/engine/redis/checkup/checkup.hpp"
#    include "holdfast/engine/redis/redis.hpp"
#endif

#include <holdfast/error.hpp>

#include <algorithm>
#include <array>
#include <string_view>
#include <unistd.h>

namespace holdfast::engine {

namespace {

struct implementation {
    std::unique_ptr<engine> (*make)(const url&, const client_identity&) = nullptr;
    checkup (*check_up)(const url&, const checkup_terms&) = nullptr;
};

/// Of an engine that this build does not include.
constexpr implementation not_built;

constexpr implementation on_memory{memory::make, memory::check_up};
constexpr implementation on_quorum{quorum::make_quorum, quorum::check_up};

#if HOLDFAST_WITH_EMBEDDED
constexpr implementation on_embedded{embedded::make, embedded::check_up};
#else
constexpr implementation on_embedded = not_built;
#endif

#if HOLDFAST_WITH_REDIS
constexpr implementation on_redis{redis::make, redis::check_up};
constexpr implementation on_redlock{quorum::make_redlock, quorum::check_up};
#else
constexpr implementation on_redis = not_built;
constexpr implementation on_redlock = not_built;
#endif

constexpr implementation on_rediss = HOLDFAST_WITH_TLS ? on_redis : not_built;
constexpr implementation on_redlocks = HOLDFAST_WITH_TLS ? on_redlock : not_built;

struct known_engine {
    std::string_view scheme;
    implementation code;
};

constexpr std::array known_engines{
    known_engine{"embedded", on_embedded},
    known_engine{"memory", on_memory},
    known_engine{"redis", on_redis},
    known_engine{"rediss", on_rediss},
    known_engine{"redis+unix", on_redis},
    known_engine{"redis+sentinel", on_redis},
    known_engine{"rediss+sentinel", on_rediss},
    known_engine{"redis+cluster", on_redis},
    known_engine{"rediss+cluster", on_rediss},
    known_engine{"redlock", on_redlock},
    known_engine{"redlocks", on_redlocks},
    known_engine{"quorum", on_quorum},
};

std::string built_schemes() {
    std::string list;
    for (const auto& known : known_engines) {
        if (known.code.make == nullptr) { continue; }
        list += (list.empty() ? "" : ", ") + std::string{known.scheme} + ":";
    }
    return list;
}

const implementation& find_engine(const url& url) {
    const auto* const found =
        std::find_if(known_engines.begin(), known_engines.end(),
                     [&](const known_engine& known) { return known.scheme == url.scheme; });
    if (found == known_engines.end()) {
        throw error{errc::unsupported, "URL: there is no engine '" + url.scheme +
                                           "'; this build has " + built_schemes()};
    }
    if (found->code.make == nullptr) {
        throw error{errc::unsupported,
                    "URL: " + url.scheme + ": is not in this build, which has " + built_schemes()};
    }
    return found->code;
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
    return find_engine(url).make(url, identity);
}

checkup check_up(const url& url, const checkup_terms& terms) {
    // Making an engine does no I/O, and rejects what no client can be made from.
    (void)make_engine(url, this_process());
    return find_engine(url).check_up(url, terms);
}

} // namespace holdfast::engine
