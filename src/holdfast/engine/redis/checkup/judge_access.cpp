#include "holdfast/engine/redis/checkup/judgments.hpp"
#include "holdfast/engine/redis/protocol/server_error.hpp"
#include "holdfast/engine/redis/protocol/server_version.hpp"

#include <holdfast/error.hpp>

namespace holdfast::engine::redis {

namespace {

/// Part of the failure of a probe that was answered by something else than Redis.
constexpr std::string_view not_redis = "not the Redis protocol";

bool refuses_login(std::string_view refusal) {
    return refusal.starts_with("NOAUTH") || refusal.starts_with("WRONGPASS") ||
           refusal.starts_with("ERR AUTH") || refusal.starts_with("NOPERM") ||
           refusal.starts_with("DENIED");
}

std::string login_remedy(std::string_view refusal) {
    if (refusal.starts_with("NOAUTH")) {
        return "write the user and password into the URL (redis://user:password@host), best in a "
               "file for --url-file";
    }
    if (refusal.starts_with("DENIED")) {
        return "it is in protected mode: give the server a password (requirepass, or an ACL user) "
               "and use it in the URL";
    }
    if (refusal.starts_with("NOPERM")) {
        return "give the user the ACL rule in REDIS SERVERS of holdfast(1)";
    }
    return "correct the user and password in the URL; write @, /, ?, # and % in them as %40, %2F, "
           "%3F, %23 and %25";
}

std::string connection_remedy(std::string_view failure) {
    if (failure.find(not_redis) != std::string_view::npos) {
        return "another service listens there: correct the host and port in the URL";
    }
    if (failure.find("certificate") != std::string_view::npos) {
        return "correct ca=, cert=, key= or server_name= in the URL, the server's certificate, or "
               "the port";
    }
    if (failure.find("TLS") != std::string_view::npos) {
        return "if this port does not speak TLS, write redis:// or the server's tls-port; "
               "otherwise correct ca=, cert=, key= or server_name= in the URL";
    }
    if (failure.find("no answer") != std::string_view::npos) {
        return "see whether the server hangs (its log, SCRIPT KILL), is stopped, or speaks TLS "
               "on this port (rediss://)";
    }
    return "start the server, or correct the host and port in the URL, the firewall, or the "
           "server's bind setting";
}

bool is_loopback(const net::endpoint& server) {
    return !server.unix_path.empty() || server.host == "localhost" || server.host == "::1" ||
           server.host.starts_with("127.");
}

/// The mode that HELLO must name.
std::string_view expected_mode(deployment deployment) {
    return deployment == deployment::cluster ? "cluster" : "standalone";
}

bool judge_mode(const server_facts& facts, const server_terms& terms, checkup& out) {
    if (facts.mode == expected_mode(terms.deployment)) { return true; }
    if (facts.mode == "cluster") {
        out.danger("role", facts.address,
                   "it is a node of a Redis Cluster, but the URL addresses it as a single server",
                   "write redis+cluster:// and two or three nodes of the cluster");
    } else if (facts.mode == "sentinel") {
        out.danger("role", facts.address, "it is a sentinel, and serves no locks",
                   "write redis+sentinel://, the sentinels, and the name of the master");
    } else {
        out.danger("role", facts.address,
                   "it runs in mode " + facts.mode +
                       ", but the URL says that it is a node of a "
                       "cluster",
                   "write redis:// for a single server, or switch cluster-enabled on");
    }
    return false;
}

} // namespace

bool judge_access(const server_facts& facts, const server_terms& terms, checkup& out) {
    if (!facts.failure.empty()) {
        const std::string kind = terms.is_replica ? "the replica" : "the server";
        const bool was_reached = facts.failure.find(not_redis) != std::string::npos;
        out.danger("reach", facts.address,
                   kind +
                       (was_reached ? " was reached, but is no Redis: " : " cannot be reached: ") +
                       facts.failure,
                   connection_remedy(facts.failure));
        return false;
    }
    if (refuses_login(facts.refusal)) {
        const bool has_none = facts.refusal.starts_with("NOAUTH");
        out.danger("login", facts.address,
                   (has_none ? "the server requires a password, and the URL has none: "
                             : "the server refuses this user or password: ") +
                       facts.refusal.substr(0, facts.refusal.find(". ")),
                   login_remedy(facts.refusal));
        return false;
    }
    if (!facts.refusal.empty()) {
        out.danger("version", facts.address,
                   "the server does not answer as Holdfast needs: " + facts.refusal,
                   "use Redis 7.0 or later, or Valkey, and check the address");
        return false;
    }
    out.ok("reach", facts.address, "it answers, and accepts this user");
    return true;
}

bool judge_identity(const server_facts& facts, const server_terms& terms, checkup& out) {
    if (is_too_old(facts.product, facts.version)) {
        out.danger("version", facts.address,
                   "it is Redis " + facts.version + ", whose scripts and ACLs are too old",
                   "use Redis 7.0 or later, or Valkey");
        return false;
    }
    out.ok("version", facts.address, "it is " + facts.product + " " + facts.version);
    if (!judge_mode(facts, terms, out)) { return false; }
    if (terms.is_replica || terms.deployment == deployment::cluster) { return true; }
    if (facts.role == "master") {
        out.ok("role", facts.address, "it is a master");
        return true;
    }
    const auto host = facts.info_value("master_host");
    const auto master = host.empty() ? std::string{}
                                     : " of " + std::string{host} + ":" +
                                           std::string{facts.info_value("master_port")};
    out.danger("role", facts.address,
               "it is a replica" + master + ", which cannot be written to: it can hold no locks",
               "use the address of the master, or sentinels (redis+sentinel://), which name it");
    return false;
}

void judge_privacy(const net::endpoint& server, bool has_password, checkup& out) {
    if (server.tls) {
        if (server.tls->verify) {
            return out.ok("tls", server.text(), "TLS, and the server's certificate is checked");
        }
        return out.warn("tls", server.text(),
                        "verify=no accepts any certificate: whoever is between can pose as the "
                        "server, and reads the password",
                        "remove verify=no, and name the authority with ca=");
    }
    if (is_loopback(server)) {
        return out.ok("tls", server.text(), "no TLS, but the connection stays on this machine");
    }
    if (has_password) {
        return out.warn("tls", server.text(),
                        "the password and the names of locks cross the network unencrypted",
                        "use rediss:// (TLS), unless the network is private");
    }
    out.warn("tls", server.text(),
             "without TLS and without a password, everybody in this network can take, release "
             "and delete locks",
             "give the server an ACL user, and use rediss:// (TLS)");
}

void judge_rights(const server_facts& facts, checkup& out) {
    if (!facts.trouble.empty()) {
        const auto error = parse_server_error(facts.trouble, facts.address);
        out.danger("state", facts.address, "the server refuses commands now: " + facts.trouble,
                   error.code == errc::internal ? "see the server's log" : error.detail);
    }
    if (facts.info.empty()) {
        out.warn("rights", facts.address,
                 "memory, persistence and replication could not be checked: INFO was refused (" +
                     facts.info_error + ")",
                 "run the doctor as a user with +info, or add it to the user's ACL rule");
    }
    if (facts.config.empty()) {
        out.warn("rights", facts.address,
                 "save, appendfsync and min-replicas-to-write could not be checked: CONFIG GET "
                 "was refused (" +
                     facts.config_error + ")",
                 "run the doctor once as an administrator of the server; clients do not need the "
                 "right");
    }
    if (!facts.slow_scripts) {
        out.warn("rights", facts.address,
                 "slow scripts could not be checked: SLOWLOG GET was refused",
                 "run the doctor once as an administrator of the server; clients do not need the "
                 "right");
    }
    if (!facts.keys) {
        out.warn("rights", facts.address,
                 "leftover and foreign keys could not be checked: SCAN was refused",
                 "give the user +scan, which listing locks needs as well");
    }
}

} // namespace holdfast::engine::redis
