// The sections of the man page about engines: their URLs, and what to set on a server.

#include "cli/manual_sections.hpp"

namespace holdfast::cli {

namespace {

manual_section engines() {
    return {
        "ENGINES",
        {
            {"", "The URL of --url, --url-file or HOLDFAST_URL says where the locks are. All "
                 "users of a lock need the same servers, database, prefix and layout. In a user or "
                 "password write @ / ? # % as %40 %2F %3F %23 %25."},
            {"embedded:",
             "The default: a file of this user, .local/state/holdfast/locks.db in the home "
             "folder of the passwd entry. Two users do not share it."},
            {"embedded:/path/locks.db?mode=0660",
             "Another file on this host; mode: for users who share it by its group."},
            {"redis://user:password@host:6379/0",
             "A Redis or Valkey server; all but the host may be missing. redis://:password@host "
             "has a password only, /0 is the database. rediss:// is the same over TLS."},
            {"redis+unix:///run/redis.sock?db=0", "The same through a unix socket."},
            {"redis+sentinel://s1:26379,s2,s3/mymaster/0",
             "The master that these sentinels call mymaster. User and password are those of the "
             "servers; the sentinels have sentinel_user and sentinel_password. "
             "rediss+sentinel://: TLS."},
            {"redis+cluster://n1:6379,n2,n3",
             "A Redis Cluster; two or three of its nodes are enough. rediss+cluster://: TLS."},
            {"redlock://h1:6379,h2,h3/0",
             "Independent servers, of which a majority must vote. redlocks://: TLS."},
        },
    };
}

manual_section engine_options() {
    return {
        "OPTIONS OF A URL",
        {
            {"", "After the ?, as key=value&key=value. All are for Redis engines, unless they "
                 "say otherwise. A time without a unit is in ms here."},
            {"max_lease",
             "The longest lease of the fleet, e.g. 30s. After lost data or a failover the server "
             "grants nothing new for that long. Not in a cluster. redlock: 60s; longer leases "
             "are refused."},
            {"replicas", "How many replicas must acknowledge each acquire and renewal; default 0."},
            {"prefix", "The beginning of Holdfast's own keys; default hf:"},
            {"layout", "How a lock is written: native, or plain, redisson, redisson_fair to "
                       "share it with other libraries."},
            {"key_prefix", "The beginning of the keys of these other layouts; default none."},
            {"fencing", "yes: tokens in these other layouts; default no."},
            {"timeout", "Until the client closes a connection without a reply; default 2000."},
            {"sharded", "yes: layout=redisson sends its messages as a Redisson with sharded "
                        "subscriptions; default no, in a cluster yes."},
            {"spin", "How many microseconds a lone caller polls for its reply before it blocks, "
                     "0 to 1000; default 60."},
            {"connect_timeout", "Until a connection must be open; default 1000."},
            {"ca, cert, key", "TLS: PEM files with the authorities to trust, and with the "
                              "client's certificate and key."},
            {"server_name, verify", "TLS: the name that the certificate must have; verify=no "
                                    "accepts any certificate."},
            {"map",
             "Sentinel and cluster: announced:port=reachable:port, for servers that announce an "
             "address that is not reachable here, as with Docker."},
            {"node_timeout, retry_min, retry_max, tries",
             "redlock: how long a node may take to vote, the pause before a waiter asks again "
             "(default 50 to 250), and how often it asks (default no limit)."},
        },
    };
}

manual_section redis_servers() {
    return {
        "REDIS SERVERS",
        {
            {"", "What makes a Redis or Valkey server safe for locks. 'holdfast doctor' checks it "
                 "and names what is missing."},
            {"maxmemory-policy noeviction",
             "Every other policy may delete locks that are held. At maxmemory nobody can acquire a "
             "lock; renewals and releases still work."},
            {"lost data",
             "A restart, a failover or FLUSHALL that loses a lock lets the engine grant it "
             "again. Add max_lease=30s to the URL of all clients: then the server grants nothing "
             "new until the old leases have ended. Against restarts alone, on a server without "
             "replicas, appendonly yes and appendfsync always do."},
            {"failover",
             "With sentinels add replicas=1&max_lease=30s to the URL of all clients, and set "
             "min-replicas-to-write 1 and min-replicas-max-lag 5 on each server. Run two replicas: "
             "with one, its loss stops all locks. In a cluster a failover can grant a lock "
             "twice; replicas=1 makes that rarer. redlock: needs no replicas."},
            {"other users", "Use TLS (rediss://) and a password, unless the network is private. No "
                            "other data in keys that begin with the prefix."},
            {"ACL rule",
             "user locks on >PASSWORD resetkeys ~hf:* resetchannels &hf:* -@all +client|reply "
             "+subscribe +script|load +time +evalsha +publish +get +set +setrange +del +exists "
             "+type +pexpire +pttl +hget +hset +hsetnx +hdel +hincrby +hgetall +zadd +zrem +zcard "
             "+zrank +zrange +zrangebyscore +zscore +zremrangebyscore +scan +info +select "
             "+script|exists. With another prefix= the patterns begin with that."},
        },
    };
}

} // namespace

std::vector<manual_section> engine_sections() {
    return {engines(), engine_options(), redis_servers()};
}

} // namespace holdfast::cli
