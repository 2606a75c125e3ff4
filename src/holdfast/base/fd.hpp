#pragma once
// A file descriptor that closes itself.

#include <unistd.h>
#include <utility>

namespace holdfast::base {

class fd {
public:
    fd() = default;
    explicit fd(int number) noexcept : number_{number} {}
    fd(fd&& other) noexcept : number_{std::exchange(other.number_, -1)} {}
    fd& operator=(fd&& other) noexcept {
        if (this != &other) {
            reset();
            number_ = std::exchange(other.number_, -1);
        }
        return *this;
    }
    fd(const fd&) = delete;
    fd& operator=(const fd&) = delete;
    ~fd() { reset(); }

    [[nodiscard]] int get() const noexcept { return number_; }
    [[nodiscard]] explicit operator bool() const noexcept { return number_ >= 0; }
    void reset() noexcept {
        if (number_ >= 0) { ::close(std::exchange(number_, -1)); }
    }

private:
    int number_ = -1;
};

} // namespace holdfast::base
