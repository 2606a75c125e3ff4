#include "cli/coordination_info.hpp"

#include "cli/once_result.hpp"

#include <holdfast/admin.hpp>
#include <holdfast/election.hpp>
#include <holdfast/error.hpp>
#include <holdfast/once.hpp>

#include <utility>

namespace holdfast::cli {

namespace {

/// The longest prefix of a cell's name is "election:".
constexpr std::size_t longest_prefix = 9;

lock_info inspect(const client& client, const std::string& lock) {
    auto found = admin{client}.inspect(lock);
    return found ? std::move(*found) : lock_info{};
}

std::optional<election_info> find_election(const client& client, const std::string& name) {
    election_info out{.office = inspect(client, election_lock(name))};
    if (out.office.name.empty()) { return std::nullopt; }
    const auto leader = election{client, name}.leader();
    out.term = leader.term;
    out.value = leader.value;
    return out;
}

std::optional<once_info> find_once(const client& client, const std::string& name) {
    once_info out{.running = inspect(client, once_lock(name))};
    const auto result = once_flag{client, name}.result();
    if (out.running.name.empty() && !result) { return std::nullopt; }
    out.is_done = result.has_value();
    const auto of_command = result ? parse_once_result(*result) : std::nullopt;
    if (of_command) { out.exit_code = of_command->code; }
    return out;
}

std::optional<latch_state> find_latch(const client& client, const std::string& name) {
    const auto state = latch{client, name, 1}.state(); // whatever its count is
    return state.expected == 0 ? std::nullopt : std::optional{state};
}

/// Engines and layouts without cells refuse the constructor.
bool has_elections(const client& client) {
    try {
        const election any{client, "x"};
        return true;
    } catch (const error& refused) {
        if (refused.code() == errc::unsupported) { return false; }
        throw;
    }
}

} // namespace

std::string election_lock(const std::string& name) { return "election:" + name; }
std::string once_lock(const std::string& name) { return "once:" + name; }

coordination_info find_coordination(const client& client, const std::string& name) {
    if (name.size() + longest_prefix > limits::name_bytes || !has_elections(client)) { return {}; }
    return {find_election(client, name), find_once(client, name), find_latch(client, name)};
}

} // namespace holdfast::cli
