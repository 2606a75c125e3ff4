#pragma once
// What the harness runs its clients on: servers or a file, and the faults that apply to them.

#include "harness/fault.hpp"
#include "support/timing.hpp"

#include <holdfast/holdfast.hpp>

#include <memory>
#include <random>
#include <string>
#include <vector>

namespace holdfast::test {

/// Thread safety: none.
class deployment {
public:
    static constexpr milliseconds lease = 1s;

    deployment() = default;
    deployment(const deployment&) = delete;
    deployment& operator=(const deployment&) = delete;
    virtual ~deployment() = default;

    [[nodiscard]] virtual std::string url() const = 0;       ///< of the clients
    [[nodiscard]] virtual std::string other_url() const = 0; ///< of locks apart from those
    [[nodiscard]] virtual std::string admin_url() const = 0;
    [[nodiscard]] virtual bool has_semaphores() const { return true; }
    [[nodiscard]] virtual bool has_reader_tokens() const { return true; }
    [[nodiscard]] virtual bool can_lose_data() const = 0; ///< history::check_options::data_lost
    /// The kinds that apply beside client_kill, client_stop and lock_break.
    [[nodiscard]] virtual std::vector<fault_kind> kinds() const = 0;
    /// Kinds that apply but cannot be injected here, with the reason; empty: none.
    [[nodiscard]] virtual std::string missing() const { return {}; }
    /// Injects it and ends it. Its effects last from its begin until `settle` has passed.
    [[nodiscard]] virtual fault_effects inject(fault_kind kind, std::minstd_rand& random) = 0;
    /// How long after the end of such a fault the next may begin.
    [[nodiscard]] virtual milliseconds settle(fault_kind kind) const = 0;
    /// Undocumented keys and files, one per line.
    [[nodiscard]] virtual std::string left_behind() = 0;
    [[nodiscard]] virtual milliseconds warm_up() const { return 0ms; }
};

[[nodiscard]] const std::vector<std::string>& deployment_names();
/// One of these names; throws std::invalid_argument.
[[nodiscard]] std::unique_ptr<deployment> make_deployment(const std::string& name);

[[nodiscard]] std::unique_ptr<deployment> make_embedded_deployment();
[[nodiscard]] std::unique_ptr<deployment> make_redis_deployment();
[[nodiscard]] std::unique_ptr<deployment> make_sentinel_deployment();
[[nodiscard]] std::unique_ptr<deployment> make_cluster_deployment();
[[nodiscard]] std::unique_ptr<deployment> make_redlock_deployment();

} // namespace holdfast::test
