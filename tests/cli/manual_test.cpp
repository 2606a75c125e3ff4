// The completions and the man page, which are generated from the help.

#include "cli/cli_fixture.hpp"

namespace holdfast::test {

namespace {

using ::testing::HasSubstr;

class manual : public cli {
protected:
    /// What bash offers for a command line whose last word is incomplete.
    std::string complete(const std::string& line) {
        return shell("source <($holdfast completion bash) && COMP_WORDS=(" + line +
                     ") && COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) && _holdfast && "
                     "echo \"${COMPREPLY[@]}\"")
            .out;
    }
};

TEST_F(manual, completions_are_valid_for_their_shells) {
    const auto bash = command({"completion", "bash"});
    EXPECT_EQ(bash.code, 0);
    EXPECT_EQ(sandbox_.run({"bash", "-n"}, {.input = bash.out}).err, "");
    for (const std::string other : {"zsh", "fish"}) {
        const auto made = command({"completion", other});
        EXPECT_EQ(made.code, 0);
        EXPECT_THAT(made.out, HasSubstr("holdfast"));
        const auto checked = sandbox_.run({other, "-n", "/dev/stdin"}, {.input = made.out});
        if (checked.code != 127) { EXPECT_EQ(checked.code, 0) << checked.err; }
    }
    EXPECT_EQ(command({"completion", "tcsh"}).code, 64);
}

TEST_F(manual, bash_completes_subcommands_and_options) {
    EXPECT_EQ(complete("holdfast ru"), "run\n");
    EXPECT_THAT(complete("holdfast ''"), HasSubstr("acquire"));
    EXPECT_EQ(complete("holdfast run --le"), "--lease\n");
    EXPECT_EQ(complete("holdfast release --ow"), "--owner\n");
    sandbox_.write("a-file-to-run", "");
    EXPECT_THAT(complete("holdfast run x -- a-file-to"), HasSubstr("a-file-to-run"));
    EXPECT_EQ(shell("source <($holdfast completion bash); complete -p holdfast").out,
              "complete -F _holdfast holdfast\n");
}

TEST_F(manual, man_page_describes_urls_words_and_json) {
    const auto page = command({"man"}).out;
    for (const char* const text :
         {"redis://user:password@host:6379/0", "rediss://", "redis+unix:///", "redis+sentinel://",
          "redis+cluster://", "redlock://", "max_lease", "replicas", "key_prefix", "ca, cert, key",
          "500ms, 30s, 5m, 2h or 1d", "guardian", "resting", "name_base64", "remaining_ms",
          "election:NAME, once:NAME", "X\\-Holdfast\\-Break: 1", "hold_id", "about_to_expire"}) {
        EXPECT_THAT(page, HasSubstr(text));
    }
    // Options that nearly all commands have.
    EXPECT_EQ(page.find("\\-\\-connect\\-wait DUR"), page.rfind("\\-\\-connect\\-wait DUR"));
}

TEST_F(manual, man_page_says_what_an_operator_meets) {
    const auto page = command({"man"}).out;
    for (const char* const text :
         {"or with 69 if the engine cannot be reached then",
          "while waiting for a lock, before exit 69", "killed at once, without SIGTERM",
          "another may lead already", "is the command's own", "pgrep \\-P PID",
          "the holder has died, or is on another host", "cannot be started (126, 127)",
          "\\-\\-forget prints nothing", "top exits with 69 after",
          "Holds that exist at the start are not", "never two at a time",
          "run \\-n \\-\\-min\\-hold 50m \\-\\-url redis://host nightly", "one time ever",
          "which other users and hosts do not\nshare", "in sorted order"}) {
        EXPECT_THAT(page, HasSubstr(text));
    }
}

TEST_F(manual, man_page_is_a_man_page) {
    const auto page = command({"man"});
    EXPECT_EQ(page.code, 0);
    EXPECT_THAT(page.out, ::testing::StartsWith(".TH HOLDFAST 1"));
    for (const char* const part : {"\n.SH NAME\n", "\n.SH SYNOPSIS\n", "\n.SH DESCRIPTION\n",
                                   "\n.SH EXIT STATUS\n", "\n.SH ENVIRONMENT\n"}) {
        EXPECT_THAT(page.out, HasSubstr(part));
    }
    EXPECT_THAT(page.out, HasSubstr("\\-\\-lease"));
    const auto shown =
        sandbox_.run({"man", "--warnings", "-E", "UTF-8", "-l", "-"}, {.input = page.out});
    if (shown.code == 127) { GTEST_SKIP() << "there is no man here"; }
    EXPECT_EQ(shown.err, "");
    EXPECT_THAT(shown.out, HasSubstr("--lease DUR"));
    EXPECT_THAT(shown.out, HasSubstr("nightly"));
    EXPECT_THAT(shown.out, HasSubstr("holdfast run [options] NAME... -- COMMAND [ARGUMENT...]"));
    EXPECT_THAT(shown.out, HasSubstr("holdfast renew [options] [NAME]\n"));
    EXPECT_THAT(shown.out, HasSubstr("holdfast ls [options] [PATTERN...]"));
}

} // namespace

} // namespace holdfast::test
