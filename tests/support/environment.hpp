#pragma once
// The environment variables that control a test run.

namespace holdfast::test {

/// The number in an environment variable, or `fallback` if it is not set.
[[nodiscard]] unsigned long number_from_environment(const char* name, unsigned long fallback);

/// The seed of a test that makes random choices: HOLDFAST_TEST_SEED, or any.
[[nodiscard]] unsigned seed_of_this_run();

/// Whether tests of random faults run at full length: `./dev test --long` sets HOLDFAST_TEST_LONG.
[[nodiscard]] bool is_long_run();

template <class Value>
[[nodiscard]] Value by_run_length(Value in_short, Value in_long) {
    return is_long_run() ? in_long : in_short;
}

} // namespace holdfast::test
