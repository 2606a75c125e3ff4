#pragma once
// Which locks a command is about: names and patterns.

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

/// A lock's name, or a pattern: `*` stands for any bytes, `?` for one, and `\` takes the meaning
/// from the next letter.
class lock_pattern {
public:
    explicit lock_pattern(std::string_view text);

    /// Whether it is a name, which prefix() returns.
    [[nodiscard]] bool is_name() const noexcept { return is_name_; }
    /// What every name that matches begins with.
    [[nodiscard]] const std::string& prefix() const noexcept { return prefix_; }
    [[nodiscard]] bool matches(std::string_view name) const noexcept;

private:
    struct step {
        enum class kind { byte, any_byte, any_bytes } type{};
        char byte = 0;
    };
    std::vector<step> steps_{};
    std::string prefix_{};
    bool is_name_ = true;
};

/// What all of them begin with. Empty patterns match every name.
[[nodiscard]] std::string common_prefix(const std::vector<lock_pattern>& patterns);

} // namespace holdfast::cli
