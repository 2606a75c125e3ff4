#include "sim/world/promise_checks.hpp"

#include "holdfast/engine/redis/fields.hpp"
#include "holdfast/engine/redis/protocol/wire_text.hpp"

namespace holdfast::sim {

namespace fields = engine::redis::fields;
using std::chrono::milliseconds;

namespace {

ticket_id ticket_of(std::string_view owner) {
    const auto read = engine::redis::read_owner(owner).value_or(base::owner_id{});
    const auto& bytes = read.client.bytes;
    return {bytes[0], static_cast<unsigned>(bytes[1]) << 8U | bytes[2], read.number};
}

} // namespace

std::optional<node_hold> read_hold(const key_space& keys, std::int64_t now_us) {
    static const std::string key = std::string{"hf:{"} + lock_name + "}";
    const auto found = keys.all().find(key);
    if (found == keys.all().end()) { return std::nullopt; }
    const auto* const record = std::get_if<std::string>(&found->second.value);
    if (record == nullptr || record->size() < fields::rec_owner.end()) { return std::nullopt; }
    const auto tag = fields::rec_tag.of(*record).front();
    if (tag != 'x' && tag != 'q' && tag != 'X' && tag != 'Q') { return std::nullopt; }
    const auto deadline = to_integer(fields::rec_deadline.of(*record)).value_or(0);
    if (deadline <= now_us) { return std::nullopt; }
    return node_hold{
        ticket_of(fields::rec_owner.of(*record)), deadline,
        static_cast<std::uint64_t>(to_integer(fields::rec_token.of(*record)).value_or(0))};
}

void promise_checks::fail(const std::string& sentence) {
    if (violation_.empty()) { violation_ = sentence; }
}

void promise_checks::on_lease_began(const ticket_id& ticket, std::uint64_t token) {
    ++leases_;
    if (token <= last_token_) {
        fail("P3: " + describe(ticket) + " has token " + std::to_string(token) + ", but " +
             describe(last_holder_) + " before it has " + std::to_string(last_token_));
    }
    last_token_ = token;
    last_holder_ = ticket;
}

void promise_checks::on_lease_lost(const ticket_id& /*ticket*/, loss /*reason*/) { ++losses_; }

void promise_checks::on_ticket_over(const ticket_id& ticket, bool confirmed) {
    if (confirmed) { over_.insert(ticket); }
}

void promise_checks::on_caller_served(unsigned client, unsigned caller) {
    served_.insert({client, caller});
}

void promise_checks::check(sim_client& client) {
    client.visit_leases([&](sim_client::held_lease& lease) { check_lease(client, lease); });
}

void promise_checks::check_lease(sim_client& client, sim_client::held_lease& lease) {
    constexpr milliseconds told_within{20};
    const auto until = client.clock().now() + lease.hold->remaining();
    const bool valid = lease.hold->valid();
    const auto& log = client.recorder().ticket(lease.ticket.number);
    if (valid && !lease.was_valid) { fail("P2: " + describe(lease.ticket) + " is valid again"); }
    if (valid && until > log.bound) {
        fail("P2: " + describe(lease.ticket) + " is valid until " +
             timeline::stamp(client.clock().true_time(until)) +
             ", but what the engine granted ends at " +
             timeline::stamp(client.clock().true_time(log.bound)));
    }
    if (!valid && !client.is_paused() && !lease.hold->why_lost() &&
        client.clock().now() > log.bound + told_within) {
        fail("P2: " + describe(lease.ticket) + " is not told that its lease is lost");
    }
    lease.was_valid = valid;
    if (!valid) { return; }
    if (valid_ != nullptr) {
        fail("P1: " + describe(lease.ticket) + " and " + describe(valid_->ticket) +
             " are valid at the same time");
    }
    valid_ = &lease;
    valid_until_ = client.clock().true_time(until);
}

void promise_checks::check_server(const sim_node& server) {
    if (valid_ == nullptr) { return; }
    const auto& hold = nodes_.front();
    if (!hold || hold->ticket != valid_->ticket) {
        return fail("P1: " + describe(valid_->ticket) + " is valid, but its server " +
                    (hold ? "has " + describe(hold->ticket) : "has nobody") + " as holder");
    }
    const auto ends = server.true_time(hold->deadline_us);
    if (ends < valid_until_) {
        fail("P1: " + describe(valid_->ticket) + " is valid until " +
             timeline::stamp(valid_until_) + ", but on the server its hold ends at " +
             timeline::stamp(ends));
    }
}

void promise_checks::on_node_changed(unsigned node, const key_space& keys, std::int64_t now_us,
                                     unsigned client) {
    const auto before = nodes_[node];
    auto& after = nodes_[node];
    after = read_hold(keys, now_us);
    const auto place = " on node " + std::to_string(node);
    if (after && (!before || before->ticket != after->ticket) && over_.contains(after->ticket)) {
        fail("P5: " + describe(after->ticket) + ", which its client has given up, is granted" +
             place);
    }
    if (!before || before->deadline_us <= now_us || before->ticket.client == client) { return; }
    const bool kept = after && after->ticket == before->ticket;
    if (!kept || after->deadline_us < before->deadline_us) {
        fail("P4: a request of client " + std::to_string(client) + " ends the hold of " +
             describe(before->ticket) + place);
    }
}

void promise_checks::on_node_replaced(unsigned node, const key_space& keys, std::int64_t now_us) {
    nodes_[node] = read_hold(keys, now_us);
}

} // namespace holdfast::sim
