#pragma once
// The connection to one sentinel.

#include "holdfast/engine/redis/node/reconnector.hpp"
#include "holdfast/engine/redis/options.hpp"
#include "holdfast/engine/redis/topology/master_claims.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::engine::redis {

/// Asks a sentinel where the master is and hears when it moves, on one connection: RESP3 carries
/// replies and messages together. Tells `master_claims` what it learns. Stays connected, and asks
/// every `refresh_pause`, by which it also notices a connection that is dead.
///
/// Thread safety: none.
class sentinel_link final : private server_source {
public:
    static constexpr base::milliseconds refresh_pause{10'000};

    /// `options` are those of the URL; `index` is the sentinel's in them and in the claims.
    sentinel_link(const options& options, std::size_t index, master_claims& claims);

    /// Asks now, after connecting if it must. In the pause after a failed connection it does
    /// nothing, unless `when` is at_once: then it is still down.
    void ask(base::instant now, connect_when when);

    [[nodiscard]] bool is_down() const noexcept { return reconnector_.is_down(); }

    void pollables(std::vector<pollfd>& out) const { reconnector_.pollables(out); }
    void drive(std::span<const pollfd> ready, base::instant now);
    [[nodiscard]] base::instant due() const noexcept;
    /// After an exception: see node::reset.
    void reset() noexcept;

private:
    [[nodiscard]] std::optional<net::endpoint> endpoint(base::instant /*now*/,
                                                        connect_when /*when*/) override {
        return server_;
    }
    [[nodiscard]] std::string server() const override;
    [[nodiscard]] const char* kind() const noexcept override { return "Sentinel"; }
    [[nodiscard]] std::optional<rejection> reject(const hello& hello) const override;
    [[nodiscard]] server_error explain(std::string_view text,
                                       const std::string& address) const override;

    void handle(reconnector::change change, base::instant now);
    void send_query(base::instant now);
    void on_data(const reply& reply, base::instant now);
    void on_push(const reply& push, base::instant now);
    void on_refused(const reply& reply);
    void on_address(const reply& reply);
    void on_details(const reply& reply, base::instant now);
    void break_off(const std::string& fault);

    const options options_; ///< with the sentinels' user and password, and no database
    const net::endpoint server_;
    const std::string master_;
    const std::size_t index_;
    master_claims& claims_;
    reconnector reconnector_;
    unsigned replies_due_ = 0;            ///< a query is two commands
    bool ask_again_ = false;              ///< as soon as the query in flight is answered
    base::instant asked_{};               ///< when the query in flight was sent
    base::instant refresh_ = base::never; ///< when to ask without a reason
    announced_address named_;             ///< by the first command of the query in flight
};

} // namespace holdfast::engine::redis
