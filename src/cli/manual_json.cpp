// The sections of the man page about JSON: of locks, of the log, and of holdfast web.

#include "cli/manual_sections.hpp"

namespace holdfast::cli {

namespace {

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
        },
    };
}

manual_section json_log() {
    return {
        "JSON LOG",
        {
            {"",
             "The lines of --log json have time, level, message and pid. Other fields are absent "
             "if they are not known: lock, event, reason, token, exit_code; of several names "
             "also locks and tokens, which are arrays, and lost_lock."},
            {"pid", "The process that prints the line: the guardian, which ls shows as HOLDER. The "
                    "lines with guardian_killed, guardian_late and campaigning are printed by "
                    "'holdfast run' or elect itself; the first two have guardian_pid."},
            {"event: waiting", "With -v: it still waits. Without: nobody holds the lock, and the "
                               "engine does not grant it."},
            {"event: busy", "Somebody else holds the lock, and it waits no longer."},
            {"event: granted", "With -v, of elect always: it holds the lock."},
            {"event: renewal_failed", "The lease could not be renewed; it is retried."},
            {"event: renewal_recovered", "The lease is renewed again."},
            {"event: about_to_expire", "The lease or --max-hold nearly ends: SIGTERM was sent."},
            {"event: ending", "The command gets SIGTERM for another reason."},
            {"event: command_ended", "With -v: the command has ended; exit_code is its own."},
            {"event: command_not_started", "It was not found, or cannot be executed."},
            {"event: released", "With -v: the lock was released."},
            {"event: release_failed", "The lock stays taken until its lease ends."},
            {"event: lost", "The lock was lost, or --max-hold is over; the command was ended."},
            {"event: campaigning", "elect begins anew after a loss."},
            {"event: failed", "The lock could not be acquired: usage, or the engine."},
            {"reason: expired", "The lease was not renewed in time, and no renewal had failed: the "
                                "engine did not answer, or the guardian was stopped."},
            {"reason: unreachable", "Renewals failed until the lease ended."},
            {"reason: broken", "Somebody broke the lock."},
            {"reason: data_lost", "The engine no longer had the lock."},
            {"reason: max_hold", "--max-hold is over."},
            {"reason: guardian_killed", "The guardian was killed."},
            {"reason: guardian_late", "The guardian was stopped, or ran too late."},
            {"reason: sigterm", "The guardian got SIGTERM."},
            {"reason: signal", "A signal came before the command had started."},
            {"reason: front_killed", "'holdfast run' was killed, and not its guardian."},
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

} // namespace

std::vector<manual_section> json_sections() { return {json(), json_log(), web_requests()}; }

} // namespace holdfast::cli
