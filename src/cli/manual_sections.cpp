#include "cli/manual_sections.hpp"

#include "cli/exit_codes.hpp"

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
            {"replicas", "How many replicas must acknowledge each acquire and renewal; 0."},
            {"prefix", "The beginning of Holdfast's own keys; hf:"},
            {"layout", "How a lock is written: native, or plain, redisson, redisson_fair to "
                       "share it with other libraries."},
            {"key_prefix", "The beginning of the keys of these other layouts; nothing."},
            {"fencing", "yes: tokens in these other layouts; no."},
            {"timeout", "Until the client closes a connection without a reply; 2000."},
            {"connect_timeout", "Until a connection must be open; 1000."},
            {"ca, cert, key", "TLS: PEM files with the authorities to trust, and with the "
                              "client's certificate and key."},
            {"server_name, verify", "TLS: the name that the certificate must have; verify=no "
                                    "accepts any certificate."},
            {"map",
             "Sentinel and cluster: announced:port=reachable:port, for servers that announce an "
             "address that is not reachable here, as with Docker."},
            {"node_timeout, retry_min, retry_max, tries",
             "redlock: how long a node may take to vote, the pause before a waiter asks again "
             "(50 to 250), and how often it asks (no limit)."},
        },
    };
}

manual_section words() {
    return {
        "WORDS",
        {
            {"DUR", "A duration: 500ms, 30s, 5m, 2h or 1d. A bare number is seconds."},
            {"guardian",
             "The second process of run and elect: hf-guardian in ps -o comm, while ps -f shows "
             "'holdfast run'. It holds the lock and is the parent of the command. HOLDER names it "
             "by host:pid; 'pgrep -P PID' prints the pid of the command. To end a hold, send "
             "SIGTERM to the guardian or to the process above it, 'holdfast run': either ends the "
             "command and releases the lock."},
            {"lease", "How long the lock stays taken after its holder has crashed. The guardian "
                      "renews it while the command runs."},
            {"token",
             "A number that rises with each grant; a store that refuses lower ones is safe from "
             "a former holder."},
            {"resting", "The hold has ended, and --min-hold keeps the lock taken."},
            {"layout", "How a lock is written on Redis; see OPTIONS OF A URL."},
        },
    };
}

manual_section names() {
    return {
        "NAMES",
        {
            {"",
             "A name is any text of up to 512 bytes. Output shows it as it is if the locale "
             "(LC_ALL, LC_CTYPE or LANG) has the charset UTF-8. A name with control characters, "
             "or bytes that are no text, shows as $'...' with \\xNN for a byte; bash, zsh and "
             "ksh read that as the name."},
            {"election:NAME, once:NAME",
             "The locks of elect and once, for ls, show and break; the 512 bytes include it all."},
        },
    };
}

manual_section behaviour() {
    return {
        "NOTES",
        {
            {"run a b", "Holds both or none. If one is lost or broken, the command is ended, "
                        "which frees the other."},
            {"--max-hold", "When it is over the command is ended, and the exit code is 76 as "
                           "after any loss."},
            {"once", "Keeps the result of a command that exits by itself, whatever its exit "
                     "code: a failed one is not run again. A command that a signal ends, or that "
                     "cannot be started (126, 127), has no result. --forget prints nothing."},
            {"exit codes", "A command that fails draws no message, except with -v. So a 64, 69, 75 "
                           "or 76 without a line on stderr is the command's own. -q suppresses "
                           "the line of 75, too: -E gives it another number."},
            {"break", "The command of a hold that is broken is killed at once, without SIGTERM and "
                      "without --grace: the next holder may run already."},
        },
    };
}

manual_section json() {
    return {
        "JSON",
        {
            {"", "ls, show, events and ping print an object per line with --json; null: not "
                 "known. Fields are added, never removed."},
            {"ls, show", "name, kind (mutex, shared_mutex, semaphore), limit, last_token, "
                         "holders, waiters. Waiters are in the order in which they get the lock."},
            {"holder, waiter",
             "owner, mode (exclusive, shared, permits), permits, host, pid, note, command, "
             "since, lease_ms, remaining_ms; a holder also held_ms, token, resting; a waiter "
             "waited_ms."},
            {"events",
             "event (granted, ended, expired), time, name, and the fields of the holder."},
            {"ping", "engine, took_ms."},
            {"name_base64", "The bytes of a name that is not UTF-8; absent otherwise. In name "
                            "such bytes are U+FFFD."},
            {"--log json",
             "time, level, pid, lock, event, token, reason, exit_code, message; of several names "
             "also locks and tokens, which are arrays, and lost_lock. event: waiting, "
             "busy, granted, about_to_expire, ending, command_ended, command_not_started, "
             "released, release_failed, lost, campaigning, failed. reason: expired, "
             "unreachable, broken, data_lost, max_hold, guardian_killed, guardian_late, "
             "sigterm, signal, front_killed."},
        },
    };
}

manual_section web_requests() {
    return {
        "REQUESTS TO HOLDFAST WEB",
        {
            {"",
             "TOKEN is in the URL that web prints, or in its --token-file; HOST:PORT is that of "
             "the URL."},
            {"curl -N -H 'Authorization: Bearer TOKEN' "
             "'http://HOST:PORT/locks?sort=age&filter=TEXT'",
             "A stream of server-sent events: locks, whose data has the fields above, a key for "
             "each name and hold_ids for its holders; and problem."},
            {"curl -H 'Authorization: Bearer TOKEN' -H 'X-Holdfast-Break: 1' -d "
             "'name=KEY&token=N&hold_id=ID' http://HOST:PORT/break",
             "Breaks one hold: key, token (0: none) and hold_id are those of the stream. 409: "
             "that hold has ended."},
        },
    };
}

manual_section exit_statuses() {
    const auto code = [](int number) { return std::to_string(number); };
    return {
        "EXIT STATUS",
        {
            {code(exit_code::ok), "Success; run: the command ran and exited with 0."},
            {code(exit_code::failed),
             "renew, release: that owner does not hold the lock any more. show: the lock is "
             "free. break: nobody held it, or you did not confirm. doctor: warnings."},
            {code(exit_code::doctor_danger), "doctor: at least one finding is a danger."},
            {code(exit_code::usage),
             "The command line is wrong, or the name is in use as another kind of lock."},
            {code(exit_code::unavailable),
             "The engine cannot be reached or used, also at the end of --wait."},
            {code(exit_code::internal),
             "The output could not be written, or an internal error of holdfast."},
            {code(exit_code::busy), "Someone else holds the lock; -E changes this code."},
            {code(exit_code::lost), "The lock was lost, or --max-hold is over; run has ended the "
                                    "command."},
            {code(exit_code::not_executable), "run: the command could not be started."},
            {code(exit_code::not_found), "run: the command was not found."},
            {code(exit_code::signalled) + "+N", "Signal N ended the command of run, or the wait."},
            {"any other", "run: the command's own."},
        },
    };
}

manual_section environment() {
    return {
        "ENVIRONMENT",
        {
            {"HOLDFAST_URL", "The engine; --url and --url-file take precedence."},
            {"HOLDFAST_LEASE", "The lease, unless --lease is given."},
            {"HOLDFAST_LOG",
             "quiet, info or verbose: how much run prints, unless -q or -v is given."},
            {"HOLDFAST_LOG_FORMAT",
             "text or json: lines with time and level, unless --log is given."},
            {"HOLDFAST_NAME, HOLDFAST_OWNER, HOLDFAST_TOKEN",
             "Set for the command of run, and printed by acquire; renew and release read them. "
             "With several names they have a line for each, in the order of the names."},
            {"NO_COLOR", "No colours on a terminal, if it is set and not empty."},
            {"HOLDFAST_RUN", "Set for the command of run: the locks that the enclosing runs hold."},
            {"LC_ALL, LC_CTYPE, LANG", "The first that is set gives the charset of names; see "
                                       "NAMES."},
        },
    };
}

} // namespace

std::vector<manual_section> manual_sections() {
    return {engines(), engine_options(), words(),         names(),      behaviour(),
            json(),    web_requests(),   exit_statuses(), environment()};
}

} // namespace holdfast::cli
