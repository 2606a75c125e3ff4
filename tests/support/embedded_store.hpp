#pragma once
// A store of the embedded engine in a folder of its own.

#include "support/engines.hpp"

#include <filesystem>
#include <memory>
#include <sys/types.h>

struct sqlite3;

namespace holdfast::test {

class embedded_store final : public store {
public:
    embedded_store();
    embedded_store(const embedded_store&) = delete;
    embedded_store& operator=(const embedded_store&) = delete;
    ~embedded_store() override;

    [[nodiscard]] std::string url() const override { return "embedded:" + file().string(); }
    [[nodiscard]] bool hang() override;
    void resume() override;
    [[nodiscard]] bool lose_data() override;

private:
    [[nodiscard]] std::filesystem::path file() const { return folder_ / "locks"; }

    std::filesystem::path folder_;
    ::pid_t maker_;
    sqlite3* intruder_ = nullptr; ///< a user of the file that never ends its transaction
};

} // namespace holdfast::test
