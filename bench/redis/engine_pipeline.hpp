#pragma once
// Many holds in flight from one thread, through the engine's interface.

#include "holdfast/engine/factory.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::bench::redis {

/// Keeps `depth` holds of distinct names going; each is acquired, then released, then acquired
/// under a new owner. Throws std::runtime_error if anything fails.
class engine_pipeline final : private engine::sink {
public:
    engine_pipeline(const std::string& url, std::size_t depth);
    ~engine_pipeline();
    engine_pipeline(const engine_pipeline&) = delete;
    engine_pipeline& operator=(const engine_pipeline&) = delete;

    std::uint64_t step(); ///< waits for answers; returns how many holds were released

private:
    struct slot {
        engine::acquire_op acquire;
        bool held = false;
    };
    void answered(engine::answer&& answer) override;
    void noticed(const engine::notice& notice) override;
    void send_next(std::size_t index);

    engine::client_identity identity_;
    std::unique_ptr<engine::engine> engine_;
    std::vector<slot> slots_;
    std::vector<std::size_t> due_; ///< slots that were answered
    std::vector<pollfd> descriptors_;
    std::uint64_t last_number_ = 0;
    std::uint64_t released_ = 0;
    bool failed_ = false;
};

} // namespace holdfast::bench::redis
