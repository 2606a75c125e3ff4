#pragma once
// Many holds on their way at once from one thread, through the engine's own interface.

#include "holdfast/engine/factory.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::bench::redis {

/// Keeps `depth` holds of distinct names going; each is acquired, then released, then acquired
/// under a new owner. Throws std::runtime_error if anything fails.
class seam final : private engine::sink {
public:
    seam(const std::string& url, std::size_t depth);
    ~seam();
    seam(const seam&) = delete;
    seam& operator=(const seam&) = delete;

    std::uint64_t turn(); ///< waits for some answers; how many holds were released

private:
    struct slot {
        engine::acquire_op ask;
        bool held = false;
    };
    void answered(engine::answer&& answer) override;
    void noticed(const engine::notice& notice) override;
    void send_next(std::size_t place);

    engine::client_identity identity_;
    std::unique_ptr<engine::engine> engine_;
    std::vector<slot> slots_;
    std::vector<std::size_t> due_; ///< slots that were answered
    std::vector<pollfd> watched_;
    std::uint64_t last_number_ = 0;
    std::uint64_t released_ = 0;
    bool failed_ = false;
};

} // namespace holdfast::bench::redis
