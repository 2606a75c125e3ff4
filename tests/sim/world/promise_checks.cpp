#include "sim/world/promise_checks.hpp"

#include <algorithm>

namespace holdfast::sim {

using std::chrono::milliseconds;
using std::chrono::seconds;

void promise_checks::fail(const std::string& sentence) {
    if (violation_.empty()) { violation_ = sentence; }
}

/// P3. A hold that was broken before its client heard of the grant comes before the next one.
void promise_checks::on_lease_began(const ticket_id& ticket, std::uint64_t token,
                                    std::int64_t wall_us) {
    ++leases_;
    if (broken_.contains(ticket)) { return; }
    if (token <= last_token_ && tokens_are_promised(wall_us)) {
        fail("P3: " + describe(ticket) + " has token " + std::to_string(token) + ", but " +
             describe(last_holder_) + " before it has " + std::to_string(last_token_));
    }
    last_token_ = token;
    last_holder_ = ticket;
    data_lost_ = false;
    if (scenario_.has_grace()) { tokens_[ticket] = token; }
}

/// Where nodes have lost their data, tokens rise only if the wall clock is past the last one. That
/// of a client's machine on a quorum, whose clients propose the tokens; else that of the server. A
/// master that was promoted may lack the last lease even if nothing was lost since that began.
bool promise_checks::tokens_are_promised(std::int64_t wall_us) const {
    if (!data_lost_ && scenario_.deployment != deployment::failover) { return true; }
    if (!scenario_.has_grace()) { return static_cast<std::uint64_t>(wall_us) > last_token_; }
    return std::all_of(nodes_.begin(), nodes_.end(), [this](const sim_node& node) {
        return static_cast<std::uint64_t>(node.clock_us(now_)) > last_token_;
    });
}

/// A lease is not taken away while a majority has its hold. After a break that left it without one,
/// a reclaim that was on its way may make one again: the renewal that found none still counts.
void promise_checks::on_lease_lost(const ticket_id& ticket, loss reason) {
    ++losses_;
    if (reason == loss::expired) { expired_.insert(ticket); }
    if (reason == loss::taken && has_majority(ticket) && !broken_.contains(ticket)) {
        fail("P2: " + describe(ticket) +
             " is told that its lock was taken away, but a majority of the nodes have it");
    }
}

/// Of a master and its replicas only the client knows which one it has asked.
bool promise_checks::has_majority(const ticket_id& ticket) const {
    if (scenario_.deployment == deployment::failover) { return false; }
    const auto holders = std::count_if(holds_.begin(), holds_.end(), [&](const auto& hold) {
        const auto node = static_cast<std::size_t>(&hold - holds_.data());
        return hold && hold->ticket == ticket && hold->deadline_us > nodes_[node].clock_us(now_);
    });
    return 2 * static_cast<std::size_t>(holders) > holds_.size();
}

void promise_checks::on_ticket_over(const ticket_id& ticket, bool confirmed) {
    if (confirmed) { over_[ticket] = now_; }
}

/// On a quorum only a break ends the ticket of somebody who waits. A single server may also know
/// that an earlier request of the ticket came too late.
void promise_checks::on_ticket_refused(const ticket_id& ticket) {
    if (scenario_.deployment != deployment::quorum || broken_somewhere_.contains(ticket)) {
        return;
    }
    fail("P7: " + describe(ticket) + " is refused for good, though nobody has broken it");
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
    if (const auto broken = broken_.find(lease.ticket); broken != broken_.end()) {
        if (log.renewed > broken->second) {
            fail("P1: " + describe(lease.ticket) + " was broken, and is renewed after that");
        }
        return; // until its next renewal both may work as the holder
    }
    if (valid_ != nullptr) {
        fail("P1: " + describe(lease.ticket) + " and " + describe(valid_->ticket) +
             " are valid at the same time");
    }
    valid_ = &lease;
    valid_until_ = client.clock().true_time(until);
}

void promise_checks::end_round() {
    const bool one_server = nodes_.size() == 1 && !scenario_.has_grace();
    if (one_server && valid_ != nullptr) { check_server(); }
}

/// P1 on one server: it keeps the hold of a valid lease for as long as that is valid.
void promise_checks::check_server() {
    const auto& hold = holds_.front();
    if (!hold || hold->ticket != valid_->ticket) {
        return fail("P1: " + describe(valid_->ticket) + " is valid, but its server " +
                    (hold ? "has " + describe(hold->ticket) : "has nobody") + " as holder");
    }
    const auto ends = nodes_.front().true_time(hold->deadline_us);
    if (ends < valid_until_) {
        fail("P1: " + describe(valid_->ticket) + " is valid until " +
             timeline::stamp(valid_until_) + ", but on the server its hold ends at " +
             timeline::stamp(ends));
    }
}

/// How long an acquire may count after its client has ended. One server refuses it from then on. A
/// quorum confirms a release when a majority has: an acquire may still reach another node until its
/// not-after, which a client knows as well as it knows the node's clock.
sim_time promise_checks::longest_delay() const {
    if (!scenario_.is_quorum()) { return sim_time::zero(); }
    return scenario_.longest_lease / 20 + scenario_.connect_timeout + scenario_.command_timeout +
           milliseconds{200};
}

void promise_checks::on_node_changed(unsigned node, unsigned client) {
    const auto now_us = nodes_[node].clock_us(now_);
    const auto before = holds_[node];
    auto& after = holds_[node];
    after = read_hold(nodes_[node].server.keys(), now_us);
    if (after && (!before || before->ticket != after->ticket)) { check_granted(node, *after); }
    if (before && before->deadline_us > now_us && before->ticket.client != client) {
        check_kept(node, *before, client);
    }
    note_highest(node);
}

/// With max_lease, after lost data: a renewal that arrives late may make its hold again on a server
/// that has lost the release, and an old queue may have tickets in it that are over. Nobody can
/// tell, until a waiter's patience and a hand-off are over.
void promise_checks::check_granted(unsigned node, const node_hold& granted) {
    if (scenario_.has_grace()) { check_token(node, granted); }
    const auto over = over_.find(granted.ticket);
    if (over == over_.end() || now_ <= over->second + longest_delay()) { return; }
    constexpr seconds old_queue{6};
    const auto forgotten_until = changed_ + scenario_.grace_period() + old_queue;
    if (scenario_.has_grace() && (over->second <= changed_ || now_ <= forgotten_until)) { return; }
    fail("P5: " + describe(granted.ticket) +
         ", which its client has given up, is granted on node " + std::to_string(node));
}

/// With max_lease a hold gives way to one with a higher token: its end was lost. A new master whose
/// clock is behind cuts a deadline to a lease from now, which is that of a hand-off at least.
void promise_checks::check_kept(unsigned node, const node_hold& before, unsigned client) {
    const auto& after = holds_[node];
    auto least_us = before.deadline_us;
    if (scenario_.deployment == deployment::failover) {
        constexpr milliseconds hand_off{2000};
        const std::chrono::microseconds lease = std::min(scenario_.least_lease, hand_off);
        least_us = std::min(least_us, nodes_[node].clock_us(now_) + lease.count());
    }
    if (after && after->ticket == before.ticket && after->deadline_us >= least_us) { return; }
    const auto highest = read_highest_token(nodes_[node].server.keys());
    if (scenario_.has_grace() && highest > before.token) { return; }
    fail("P4: a request of client " + std::to_string(client) + " ends the hold of " +
         describe(before.ticket) + " on node " + std::to_string(node));
}

/// P3 on one server: a hold is granted with a token above all that it knows, or made again by the
/// one that had the highest.
void promise_checks::check_token(unsigned node, const node_hold& granted) {
    const auto& highest = highest_[node];
    if (granted.token > highest.token || highest.holder == granted.ticket) { return; }
    const auto own = tokens_.find(granted.ticket);
    if (!highest.holder && own != tokens_.end() && own->second == highest.token) { return; }
    fail("P3: node " + std::to_string(node) + " makes " + describe(granted.ticket) +
         " the holder again, but knows the later token " + std::to_string(highest.token));
}

void promise_checks::note_highest(unsigned node) {
    if (!scenario_.has_grace()) { return; }
    auto& highest = highest_[node];
    const auto token = read_highest_token(nodes_[node].server.keys());
    if (token != highest.token) { highest = {token, {}}; }
    if (holds_[node]) { highest.holder = holds_[node]->ticket; }
}

void promise_checks::on_node_replaced(unsigned node, bool lost) {
    holds_[node] = read_hold(nodes_[node].server.keys(), nodes_[node].clock_us(now_));
    data_lost_ = data_lost_ || lost;
    if (lost) { changed_ = now_; }
    highest_[node] = {};
    note_highest(node);
}

void promise_checks::on_broken(const sim_client& client, const ticket_id& ticket, bool on_all) {
    broken_somewhere_.insert(ticket);
    if (!has_majority(ticket)) {
        auto& since = broken_.try_emplace(ticket, base::never).first->second;
        if (on_all) { since = std::min(since, client.clock().now()); }
    }
}

/// A lease that was not renewed in time ends by itself. A renewal of it without an answer may have
/// reached the nodes, which then have the hold for one more lease: P7 promises no more.
void promise_checks::check_leftovers(unsigned node, const std::vector<unsigned>& lives) {
    const auto hold = read_hold(nodes_[node].server.keys(), nodes_[node].clock_us(now_));
    const bool may_stay = hold && (hold->ticket.life != lives[hold->ticket.client] ||
                                   expired_.contains(hold->ticket));
    if (hold && !may_stay) {
        fail("P5: node " + std::to_string(node) + " still has the hold of " +
             describe(hold->ticket) + ", which nobody wants");
    }
}

} // namespace holdfast::sim
