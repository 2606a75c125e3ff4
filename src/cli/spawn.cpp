#include "cli/spawn.hpp"

#include <algorithm>
#include <spawn.h>
#include <string_view>
#include <unistd.h>

namespace holdfast::cli {

namespace {

std::vector<std::string>
environment_with(const std::vector<std::pair<std::string, std::string>>& more) {
    std::vector<std::string> out;
    for (char** each = environ; *each != nullptr; ++each) {
        const std::string_view text{*each};
        const bool replaced = std::any_of(more.begin(), more.end(), [&](const auto& one) {
            return text.starts_with(one.first + '=');
        });
        if (!replaced) { out.emplace_back(text); }
    }
    for (const auto& one : more) {
        auto& text = out.emplace_back(one.first);
        text += '=';
        text += one.second;
    }
    return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> out;
    out.reserve(texts.size() + 1);
    for (auto& one : texts) { out.push_back(one.data()); }
    out.push_back(nullptr);
    return out;
}

} // namespace

spawned spawn(const std::vector<std::string>& command,
              const std::vector<std::pair<std::string, std::string>>& more_environment,
              const signal_state& signals, pid_t group) {
    posix_spawnattr_t how;
    ::posix_spawnattr_init(&how);
    const auto defaults = signals.to_default();
    ::posix_spawnattr_setpgroup(&how, group);
    ::posix_spawnattr_setsigmask(&how, &signals.mask());
    ::posix_spawnattr_setsigdefault(&how, &defaults);
    ::posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                         POSIX_SPAWN_SETSIGDEF);

    auto words = command;
    auto variables = environment_with(more_environment);
    auto argv = pointers(words);
    auto envp = pointers(variables);
    spawned out;
    out.error = ::posix_spawnp(&out.pid, argv[0], nullptr, &how, argv.data(), envp.data());
    if (out.error != 0) { out.pid = 0; }
    ::posix_spawnattr_destroy(&how);
    return out;
}

} // namespace holdfast::cli
