#pragma once
// A client's end of a simulated connection.

#include "holdfast/net/stream.hpp"
#include "sim/world/sim_network.hpp"

namespace holdfast::sim {

/// Has no descriptor. poll() reports one that does not exist as ready, so that the engine looks at
/// the stream in each round.
class sim_stream final : public net::stream {
public:
    sim_stream(sim_network& network, link_id id) noexcept : network_{network}, id_{id} {}
    sim_stream(const sim_stream&) = delete;
    sim_stream& operator=(const sim_stream&) = delete;
    ~sim_stream() override { network_.close(id_); }

    [[nodiscard]] net::stream_state state() const noexcept override { return link().state; }
    [[nodiscard]] const std::string& failure() const noexcept override { return link().failure; }
    [[nodiscard]] bool failure_is_permanent() const noexcept override { return false; }
    [[nodiscard]] std::string_view step() const noexcept override { return "connecting"; }
    [[nodiscard]] pollfd pollable() const noexcept override {
        constexpr int no_descriptor = 1'000'000'000;
        return {no_descriptor + static_cast<int>(id_), POLLIN, 0};
    }
    void progress() override {}
    [[nodiscard]] std::size_t read(std::span<char> into) override {
        auto& inbox = network_.at(id_).inbox;
        const auto count = inbox.copy(into.data(), into.size());
        inbox.erase(0, count);
        return count;
    }
    [[nodiscard]] std::size_t write(std::span<const char> from) override {
        network_.send_to_node(id_, {from.data(), from.size()});
        return from.size();
    }
    [[nodiscard]] int plain_descriptor() const noexcept override { return -1; }

private:
    [[nodiscard]] const sim::link& link() const noexcept { return network_.at(id_); }

    sim_network& network_;
    link_id id_;
};

} // namespace holdfast::sim
