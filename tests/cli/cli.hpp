#pragma once
// What the tests of the command share: a scene for each, and short words for what they start.

#include "support/scene.hpp"

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
    outcome command(const words& rest, const start_options& options = {}) {
        return here.run(holdfast_words(rest), options);
    }
    outcome run(const words& rest, const start_options& options = {}) {
        return here.run(run_words(rest), options);
    }
    running start(const words& rest, const start_options& options = {}) {
        return here.start(run_words(rest), options);
    }
    /// A line for the shell, in which $holdfast is the command.
    outcome shell(const std::string& line, const start_options& options = {});

    /// `holdfast run OPTIONS... NAME -- ...` with a command that sleeps and has begun.
    running hold(const std::string& name, const words& options = {});

    /// Whether somebody could have the lock now.
    bool is_free(const std::string& name) { return run({"-nq", name, "--", "true"}).code == 0; }
    /// Whether so many wait in the queue of the name.
    bool waiters_are(const std::string& name, std::size_t count);

    scene here;
};

/// The guardian of a `holdfast run` that was started as `front`, once it is there.
[[nodiscard]] pid_t guardian_of(pid_t front);

/// Whether the text has a control character other than the ends of lines.
[[nodiscard]] bool has_escapes(const std::string& text);

} // namespace holdfast::test
