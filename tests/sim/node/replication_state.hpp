#pragma once
// What a simulated server knows of replication: its role, the id of its data, its replicas.

#include "sim/node/key_space.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace holdfast::sim {

/// The keys of a server after one of its commands. `offset` counts the changes up to it.
struct data_version {
    std::uint64_t offset = 1;
    std::shared_ptr<const key_space::map> keys = std::make_shared<key_space::map>();
};

/// Moves no data: `replica_set` does.
///
/// Thread safety: none.
class replication_state {
public:
    /// `server` distinguishes the ids of different servers.
    explicit replication_state(unsigned server) noexcept : server_{server} {}

    /// master_replid. No id comes twice.
    [[nodiscard]] std::string id() const;
    void change_id() noexcept { ++ids_; }

    /// Until then the server has no replicas, and versions of its data cost nothing.
    void enable() noexcept { enabled_ = true; }
    [[nodiscard]] bool is_replica() const noexcept { return is_replica_; }
    void become_replica() noexcept {
        is_replica_ = true;
        acknowledged_.clear();
    }
    void become_master() noexcept {
        is_replica_ = false;
        change_id();
    }
    /// It has restarted.
    void restart() noexcept {
        acknowledged_.clear();
        change_id();
    }

    /// A command has run, or data was lost: makes a new version if something has changed.
    void note_change(const key_space& keys);
    /// A replica has received this version.
    void receive(const data_version& version) { version_ = version; }
    [[nodiscard]] const data_version& version() const noexcept { return version_; }

    // Of a master.
    void attach(unsigned replica) { acknowledged_[replica] = 0; }
    void detach(unsigned replica) noexcept { acknowledged_.erase(replica); }
    void acknowledge(unsigned replica, std::uint64_t offset);
    /// How many replicas have acknowledged all up to there.
    [[nodiscard]] std::int64_t count(std::uint64_t offset) const noexcept;

private:
    unsigned server_;
    std::uint64_t ids_ = 1;
    bool enabled_ = false;
    bool is_replica_ = false;
    data_version version_;
    std::map<unsigned, std::uint64_t> acknowledged_; ///< by replica
};

} // namespace holdfast::sim
