#pragma once
// Gives the implementation access to the private members of client, lease and lease_set.

#include <holdfast/client.hpp>
#include <holdfast/lease.hpp>
#include <holdfast/lease_set.hpp>

#include <memory>
#include <utility>

namespace holdfast::detail {

struct access {
    [[nodiscard]] static const std::shared_ptr<core::client_core>&
    core(const client& client) noexcept {
        return client.core_;
    }
    [[nodiscard]] static lease make_lease(std::shared_ptr<core::client_core> core,
                                          std::shared_ptr<core::hold> hold) noexcept {
        return lease{std::move(core), std::move(hold)};
    }
    [[nodiscard]] static const std::shared_ptr<core::hold>& hold(const lease& lease) noexcept {
        return lease.hold_;
    }
    [[nodiscard]] static lease_set make_set(std::shared_ptr<core::client_core> core,
                                            std::shared_ptr<core::hold_set> set) noexcept {
        return lease_set{std::move(core), std::move(set)};
    }
};

} // namespace holdfast::detail
