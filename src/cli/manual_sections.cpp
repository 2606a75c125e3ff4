#include "cli/manual_sections.hpp"

#include "cli/exit_codes.hpp"

#include <utility>

namespace holdfast::cli {

namespace {

manual_section words() {
    return {
        "WORDS",
        {
            {"DUR", "A duration: 500ms, 30s, 5m, 2h or 1d, also 1.5h. A bare number is seconds."},
            {"guardian",
             "The second process of run and elect: hf-guardian in ps -o comm, while ps -f shows "
             "'holdfast run'. It holds the lock and is the parent of the command. HOLDER names it "
             "by host:pid; 'pgrep -P PID' prints the pid of the command. To end a hold, send "
             "SIGTERM to the guardian or to the process above it, 'holdfast run': either ends the "
             "command and releases the lock."},
            {"detached",
             "Of a lock that 'holdfast acquire' has taken: its process has ended, and the "
             "lock is held until it is released or its lease ends. ls and show have '-' "
             "as its COMMAND, as of a holder that has died."},
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
            {"break NAME", "With the question, a hold that began after it stays, if one holder was "
                           "shown. If several hold the lock (--limit, --shared), all that hold it "
                           "when you answer are ended, unless --token names one."},
            {"break --yes NAME",
             "Without --token it ends whoever holds the lock at that moment. In "
             "a script take the token from 'holdfast show --json NAME' "
             "(holders, token) and give --token."},
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
             "free. break: nobody held it, or not with that token, or you did not confirm. "
             "doctor: warnings."},
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
             "With several names they have a line for each, in sorted order, not in that of the "
             "command line."},
            {"NO_COLOR", "No colours on a terminal, if it is set and not empty."},
            {"HOLDFAST_RUN",
             "Set for the command of run and elect: the owners of the locks that the enclosing "
             "ones hold. run, elect and acquire refuse (64) to wait for such a lock, because it "
             "is free only when they have ended; renew and release refuse to change it."},
            {"LC_ALL, LC_CTYPE, LANG", "The first that is set gives the charset of names; see "
                                       "NAMES."},
        },
    };
}

} // namespace

std::vector<manual_section> manual_sections() {
    auto out = engine_sections();
    out.insert(out.end(), {words(), names(), behaviour()});
    for (auto& section : json_sections()) { out.push_back(std::move(section)); }
    out.insert(out.end(), {exit_statuses(), environment()});
    return out;
}

} // namespace holdfast::cli
