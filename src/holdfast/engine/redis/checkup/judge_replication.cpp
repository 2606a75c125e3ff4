#include "holdfast/engine/redis/checkup/judgments.hpp"
#include "holdfast/engine/redis/url_parts.hpp"

namespace holdfast::engine::redis {

namespace {

/// What a remedy adds that makes each grant need a replica: the last one becomes indispensable.
std::string needed_replicas(const server_facts& facts) {
    const auto connected = facts.number("connected_slaves");
    if (connected > 1) { return {}; }
    if (connected == 0) {
        return "; it has no replica, so start two first: without one no lock works";
    }
    return "; it has one replica, whose loss then stops all locks, so have two";
}

/// With failover, and without the options that make it safe.
void judge_failover(const server_facts& facts, const server_terms& terms, checkup& out) {
    if (terms.deployment == deployment::cluster) {
        if (terms.replicas > 0) {
            return out.ok("failover", facts.address,
                          "a lock counts only when " + std::to_string(terms.replicas) +
                              " replicas have it");
        }
        return out.warn("failover", facts.address,
                        "a failover loses locks that had not reached the replica: they are granted "
                        "again while they are held",
                        "add replicas=1 to the URL of all clients, which makes it rarer" +
                            needed_replicas(facts) +
                            "; redlock:// or redis+sentinel:// with max_lease prevents it");
    }
    if (terms.replicas > 0 && terms.max_lease) {
        return out.ok("failover", facts.address,
                      "replicas and max_lease are in the URL: a failover makes no second holder");
    }
    const char* const missing = terms.max_lease      ? "replicas=1"
                                : terms.replicas > 0 ? "max_lease=30s"
                                                     : "replicas=1&max_lease=30s";
    out.warn("failover", facts.address,
             "a failover loses locks that had not reached the new master: they are granted again "
             "while they are held",
             std::string{"add "} + missing +
                 " to the URL of all clients (see OPTIONS OF A URL in holdfast(1))" +
                 (terms.replicas > 0 ? "" : needed_replicas(facts)) +
                 (terms.max_lease
                      ? ""
                      : "; when max_lease is first used nothing new is granted once for "
                        "as long, and a longer lease is refused"));
}

std::string replicas_text(std::uint64_t count) {
    return std::to_string(count) + (count == 1 ? " replica" : " replicas");
}

/// `fails_over`: a replica may take over.
void judge_least_replicas(const server_facts& facts, std::uint64_t connected, bool fails_over,
                          checkup& out) {
    const auto least = facts.setting("min-replicas-to-write");
    if (least.empty()) { return; }
    const auto wanted = parse_number(least, 1'000'000UL).value_or(0);
    if (wanted == 0 && !fails_over) { return; }
    if (wanted == 0) {
        out.warn(
            "min-replicas", facts.address,
            "min-replicas-to-write is 0: a master that is cut off from its replicas continues "
            "to grant locks while its successor grants them too",
            "CONFIG SET min-replicas-to-write 1 and min-replicas-max-lag 5 on each server, and "
            "the same in redis.conf" +
                needed_replicas(facts));
    } else if (connected < wanted) {
        out.danger("min-replicas", facts.address,
                   "min-replicas-to-write is " + std::string{least} + ", but it has " +
                       replicas_text(connected) + ": it refuses all writes",
                   "start the missing replicas, or lower min-replicas-to-write");
    } else {
        out.ok("min-replicas", facts.address, "min-replicas-to-write is " + std::string{least});
    }
}

} // namespace

void judge_replication(const server_facts& facts, const server_terms& terms, checkup& out) {
    if (facts.info.empty()) { return; }
    const auto connected = facts.number("connected_slaves");
    const auto count = replicas_text(connected);
    if (terms.deployment == deployment::quorum_node) {
        if (connected == 0) { return; }
        return out.warn("replicas", facts.address,
                        "it has " + count +
                            ", but nodes of a quorum must not fail over: a promoted "
                            "replica may lack votes that it has given",
                        "use replicas for reading only, and never promote one");
    }
    if (connected < terms.replicas) {
        out.danger("replicas", facts.address,
                   "replicas=" + std::to_string(terms.replicas) + " is in the URL, but it has " +
                       count + ": nobody can acquire a lock",
                   "start the missing replicas, or lower replicas= in the URL of all clients");
    } else if (connected > 0) {
        out.ok("replicas", facts.address, "it has " + count);
    }
    const bool fails_over = terms.deployment != deployment::standalone || connected > 0;
    if (fails_over) { judge_failover(facts, terms, out); }
    judge_least_replicas(facts, connected, fails_over, out);
}

void judge_replica(const server_facts& facts, checkup& out) {
    if (facts.role == "master") {
        return out.warn("role", facts.address,
                        "it was named as a replica, but says that it is a master: a failover is "
                        "under way, or somebody has used REPLICAOF by hand",
                        "run the doctor again in a minute; two masters must not stay");
    }
    const auto link = facts.info_value("master_link_status");
    if (link == "up") { return out.ok("replication", facts.address, "it follows its master"); }
    if (link.empty()) { return; }
    out.warn("replication", facts.address,
             "its link to the master is " + std::string{link} + ": it misses what is granted now",
             "see its log: network, password (masterauth), or a full resynchronisation under way");
}

} // namespace holdfast::engine::redis
