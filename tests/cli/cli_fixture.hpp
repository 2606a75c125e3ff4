#pragma once
// The fixture of the tests of the command: a sandbox per test, and calls that run `holdfast`.

#include "support/sandbox.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace holdfast::test {

/// `holdfast WORDS...`
[[nodiscard]] words holdfast_words(const words& rest);

/// `holdfast run WORDS...`
[[nodiscard]] words run_words(const words& rest);

class cli : public ::testing::Test {
protected:
    /// Runs `holdfast WORDS...` to its end.
    command_result command(const words& rest, const start_options& options = {}) {
        return sandbox_.run(holdfast_words(rest), options);
    }
    command_result run(const words& rest, const start_options& options = {}) {
        return sandbox_.run(run_words(rest), options);
    }
    running_command start(const words& rest, const start_options& options = {}) {
        return sandbox_.start(run_words(rest), options);
    }
    /// Runs a line of bash, in which $holdfast is the command.
    command_result shell(const std::string& line, const start_options& options = {});

    /// `holdfast run OPTIONS... NAME -- ...` whose command sleeps and has started.
    running_command hold(const std::string& name, const words& options = {});

    /// Whether the lock can be acquired now.
    bool is_free(const std::string& name) { return run({"-nq", name, "--", "true"}).code == 0; }
    /// Whether the name's queue has this many waiters.
    bool has_waiters(const std::string& name, std::size_t count);

    sandbox sandbox_;
};

/// The pid of the guardian of the `holdfast run` with the pid `front`; waits for it to start.
[[nodiscard]] pid_t guardian_of(pid_t front);

/// Whether the text has control characters other than newlines.
[[nodiscard]] bool has_escapes(const std::string& text);

} // namespace holdfast::test
