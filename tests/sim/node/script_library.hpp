#pragma once
// The scripts that clients load into simulated servers.

#include "sim/node/lua_vm.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace holdfast::sim {

struct known_script {
    std::string sha{}; ///< of the text that clients send
    lua_vm::handle handle = 0;
    std::size_t number = 0; ///< 0, 1, ...
};

/// Keeps scripts by text and by SHA-1. All servers of a run share it; each knows by their numbers
/// which of them were loaded into it.
///
/// Thread safety: none.
class script_library {
public:
    /// What servers run instead of a text: a planted mistake.
    using editor = std::function<std::string(std::string_view text)>;

    explicit script_library(lua_vm& vm, editor edit = {});

    const known_script& load(std::string_view text);
    /// Null: nobody has loaded it.
    [[nodiscard]] const known_script* find(std::string_view sha) const;
    [[nodiscard]] lua_vm& vm() const noexcept { return vm_; }

private:
    lua_vm& vm_;
    editor edit_;
    std::unordered_map<std::string, known_script> by_text_;
    std::unordered_map<std::string, const known_script*> by_sha_;
    std::string text_; ///< kept for its memory
};

} // namespace holdfast::sim
