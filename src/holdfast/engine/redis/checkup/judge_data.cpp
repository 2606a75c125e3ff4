// Memory, persistence, scripts and keys: what can happen to the data of a server.

#include "holdfast/engine/redis/checkup/judgments.hpp"
#include "holdfast/engine/redis/fields.hpp"
#include "holdfast/engine/redis/url_parts.hpp"

#include <algorithm>
#include <limits>

namespace holdfast::engine::redis {

namespace {

constexpr std::chrono::microseconds slow{50'000};
constexpr std::chrono::microseconds very_slow{1'000'000};

std::string percent(std::uint64_t part, std::uint64_t whole) {
    return std::to_string(part / (whole / 100 + 1)) + " %";
}

std::string milliseconds_text(std::chrono::microseconds amount) {
    return std::to_string(amount.count() / 1000) + " ms";
}

} // namespace

void judge_memory(const server_facts& facts, checkup& out) {
    const auto policy = std::string{facts.setting("maxmemory-policy")};
    const auto limit =
        parse_number(facts.setting("maxmemory"), std::numeric_limits<std::uint64_t>::max());
    if (policy.empty() || !limit) { return; } // judge_rights has said so
    constexpr const char* set_policy =
        "CONFIG SET maxmemory-policy noeviction, and the same in redis.conf";
    if (policy != "noeviction" && *limit > 0) {
        out.danger("eviction", facts.address,
                   "maxmemory-policy is " + policy +
                       ": at maxmemory the server deletes locks that are held, and others get them",
                   set_policy);
    } else if (policy != "noeviction") {
        out.warn("eviction", facts.address,
                 "maxmemory-policy is " + policy +
                     ": as soon as somebody sets maxmemory, the server may delete locks that are "
                     "held",
                 set_policy);
    } else {
        out.ok("eviction", facts.address, "maxmemory-policy is noeviction");
    }
    const auto used = facts.number("used_memory");
    if (*limit == 0 || used == 0) { return; }
    if (used >= *limit && policy == "noeviction") {
        return out.danger("memory", facts.address,
                          "it uses " + percent(used, *limit) +
                              " of its maxmemory, so it is full: nobody can acquire a lock",
                          "raise maxmemory, or remove other data");
    }
    if (used > *limit / 10 * 9) {
        return out.warn("memory", facts.address,
                        "it uses " + percent(used, *limit) +
                            " of its maxmemory: when that is full, nobody can acquire a lock",
                        "raise maxmemory, or remove other data");
    }
    out.ok("memory", facts.address, "it uses " + percent(used, *limit) + " of its maxmemory");
}

void judge_persistence(const server_facts& facts, const server_terms& terms, checkup& out) {
    const auto aof = facts.setting("appendonly");
    if (aof.empty()) { return; }
    const auto fsync = facts.setting("appendfsync");
    const auto save = facts.config.find("save");
    const bool snapshots = save != facts.config.end() && !save->second.empty();
    const char* const remedy =
        "add max_lease=30s to the URL of all clients (nothing new is granted for as long after "
        "lost data, and once when it is first used; a longer lease is refused), or set "
        "appendonly yes and appendfsync always";
    const bool writes_fail = facts.info_value("aof_last_write_status") == "err" ||
                             facts.info_value("rdb_last_bgsave_status") == "err";
    if (writes_fail) {
        out.danger("persistence", facts.address,
                   "the server could not write to its disk the last time; it may refuse all writes",
                   "make room on its disk, and see its log");
    }
    if (terms.deployment == deployment::quorum_node) {
        return out.ok("persistence", facts.address,
                      "not needed: a node that may have lost data does not vote until its old "
                      "votes have ended");
    }
    if (terms.max_lease) {
        return out.ok(
            "persistence", facts.address,
            "not needed: with max_lease in the URL nothing new is granted after lost data "
            "until the old leases have ended");
    }
    if (aof == "yes" && fsync == "always") {
        return out.ok("persistence", facts.address,
                      "appendonly with appendfsync always: a restart loses nothing");
    }
    if (aof == "yes") {
        return out.warn("persistence", facts.address,
                        "appendonly with appendfsync " +
                            (fsync.empty() ? std::string{"unknown"} : std::string{fsync}) +
                            ": after a crash of the machine the last second is gone, and locks of "
                            "that second have two holders",
                        remedy);
    }
    if (facts.config.empty()) {
        return out.warn("persistence", facts.address,
                        "appendonly is off; whether snapshots are on is not known. After a restart "
                        "locks that are held are granted again",
                        remedy);
    }
    out.danger("persistence", facts.address,
               snapshots ? "snapshots only (save): a restart loses the minutes since the last one, "
                           "and locks that are held are granted again"
                         : "no persistence: a restart loses all locks, and those that are held are "
                           "granted again",
               remedy);
}

void judge_scripts(const server_facts& facts, checkup& out) {
    if (!facts.slow_scripts) { return; }
    const auto& found = *facts.slow_scripts;
    const auto worst = std::max_element(
        found.begin(), found.end(), [](const auto& a, const auto& b) { return a.took < b.took; });
    if (worst == found.end() || worst->took < slow) {
        return out.ok("scripts", facts.address, "no slow script in its slow log");
    }
    const auto text = "its slow log has " + std::to_string(found.size()) +
                      " scripts, the slowest (" + worst->command + ") took " +
                      milliseconds_text(worst->took) +
                      ": nothing else runs meanwhile, and no lease is renewed";
    const char* const remedy =
        "find it with SLOWLOG GET; move that work to another server, or use longer leases; then "
        "SLOWLOG RESET";
    if (worst->took >= very_slow) {
        out.danger("scripts", facts.address, text, remedy);
    } else {
        out.warn("scripts", facts.address, text, remedy);
    }
}

void judge_keys(const server_facts& facts, const std::string& prefix, checkup& out) {
    if (!facts.keys) { return; }
    const auto& keys = *facts.keys;
    if (keys.foreign > 0) {
        out.warn("keys", facts.address,
                 std::to_string(keys.foreign) + " keys begin with " + prefix +
                     " and are not Holdfast's, e.g. " + keys.foreign_example,
                 "choose another prefix= for the locks, or rename those keys");
    }
    if (keys.eternal > 0) {
        out.warn("keys", facts.address,
                 std::to_string(keys.eternal) + " keys of locks never expire, e.g. " +
                     keys.eternal_example + ": somebody restored or changed them by hand",
                 "delete them (UNLINK) while nobody holds those locks");
    }
    if (keys.foreign + keys.eternal == 0) {
        out.ok("keys", facts.address,
               std::to_string(keys.seen) + (keys.all_seen ? "" : " or more") +
                   " keys with the prefix " + prefix +
                   (keys.all_seen ? ", all of them Holdfast's"
                                  : "; those that were looked at are Holdfast's"));
    }
}

void judge_vote(const server_facts& facts, std::int64_t wall_us, checkup& out) {
    if (!facts.node_record) {
        return out.ok("rejoin", facts.address,
                      "it is no node of a quorum yet, or has lost its data: the next client that "
                      "uses the quorum lets it join");
    }
    const std::string_view record = *facts.node_record;
    std::optional<std::int64_t> from;
    if (record.size() == static_cast<std::size_t>(fields::node_size)) {
        from = parse_number(fields::node_votes_from.of(record),
                            std::numeric_limits<std::int64_t>::max());
    }
    if (!from) {
        return out.danger("rejoin", facts.address,
                          "the key of the node holds something else, so it cannot vote",
                          "delete the key that ends in `node` with the prefix of the URL, or "
                          "choose another prefix=");
    }
    const auto run = facts.info_value("run_id").substr(0, fields::node_run.length);
    if (!run.empty() && run != fields::node_run.of(record)) {
        return out.warn("rejoin", facts.address,
                        "it was restarted since it joined: it does not vote until a client has let "
                        "it join again, and then for max_lease",
                        "wait; do not restart another node before it votes");
    }
    if (!facts.clock) { return; }
    const auto its_time = facts.clock->ahead.count() + wall_us;
    if (*from <= its_time) { return out.ok("rejoin", facts.address, "it votes"); }
    out.warn("rejoin", facts.address,
             "it joined anew and votes again in " +
                 std::to_string((*from - its_time) / 1'000'000 + 1) +
                 " s; until then the quorum has one node less to spare",
             "wait; do not restart another node before it votes");
}

} // namespace holdfast::engine::redis
