#include "sim/node/sim_redis.hpp"

#include "sim/node/resp_writer.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>

namespace holdfast::sim {

namespace {

/// Removes a line such as `*3` or `$5` from `bytes`, and returns its number.
std::size_t take_count(std::string_view& bytes, char type) {
    const auto end = bytes.find('\r');
    if (bytes.empty() || bytes.front() != type || end == std::string_view::npos) {
        throw std::runtime_error{"a client sent something that is not a command"};
    }
    const auto count = to_integer(bytes.substr(1, end - 1)).value_or(0);
    bytes.remove_prefix(end + 2);
    return static_cast<std::size_t>(count);
}

void take_command(std::string_view& bytes, std::vector<std::string_view>& out) {
    out.clear();
    for (auto count = take_count(bytes, '*'); count > 0; --count) {
        const auto length = take_count(bytes, '$');
        out.push_back(bytes.substr(0, length));
        bytes.remove_prefix(length + 2);
    }
}

} // namespace

void sim_redis::set_clock(std::int64_t us) noexcept {
    constexpr std::int64_t us_per_ms = 1000;
    clock_us_ = us;
    keys_.set_clock(us / us_per_ms);
}

void sim_redis::receive(session_id session, std::string_view bytes) {
    auto& from = sessions_.at(session);
    if (from.ended) { return; }
    if (from.wait) {
        from.unread += bytes;
        return;
    }
    run_all(from, bytes);
}

void sim_redis::run_all(session_state& session, std::string_view bytes) {
    while (!bytes.empty() && !session.wait) {
        take_command(bytes, words_);
        run(session);
        replication_.note_change(keys_);
        session.offset = replication_.version().offset;
    }
    session.unread = bytes;
}

void sim_redis::run(session_state& session) {
    const bool skips = std::exchange(session.skips_next, false);
    skipped_.clear();
    resp_writer out{skips ? skipped_ : session.output, session.resp3};
    if (run_session_command(session, out) || run_command(*this, words_, out)) { return; }
    throw std::runtime_error{"a client sent " + std::string{words_.front()} +
                             ", which the simulation does not know"};
}

bool sim_redis::run_session_command(session_state& session, reply_sink& out) {
    const auto name = words_.front();
    if (name == "EVALSHA") {
        call_script(out);
    } else if (name == "SCRIPT") {
        run_script_command(out);
    } else if (name == "HELLO") {
        hello(session, out);
    } else if (name == "CLIENT") {
        session.skips_next = true; // CLIENT REPLY SKIP, which has no reply itself
    } else if (name == "SUBSCRIBE") {
        subscribe(session);
    } else if (name == "UNSUBSCRIBE") {
        unsubscribe(session);
    } else if (name == "WAIT") {
        wait(session, out);
    } else if (name == "SELECT") {
        out.status("OK");
    } else if (name == "FLUSHALL") {
        flush_all();
        out.status("OK");
    } else {
        return false;
    }
    return true;
}

void sim_redis::hello(session_state& session, reply_sink& out) {
    const std::array<std::string_view, 8> fields{
        "server", "redis",      "version", "7.0.15",
        "mode",   "standalone", "role",    replication_.is_replica() ? "replica" : "master"};
    if (words_.size() > 1 && words_[1] == "3") { session.resp3 = true; }
    out.array(fields.size());
    for (const auto field : fields) { out.bulk(field); }
}

void sim_redis::subscribe(session_state& session) {
    resp_writer out{session.output, session.resp3};
    for (const auto channel : word_list{words_}.subspan(1)) {
        session.channels.emplace_back(channel);
        out.push(3);
        out.bulk("subscribe");
        out.bulk(channel);
        out.integer(static_cast<std::int64_t>(session.channels.size()));
    }
}

void sim_redis::unsubscribe(session_state& session) {
    resp_writer out{session.output, session.resp3};
    for (const auto channel : word_list{words_}.subspan(1)) {
        std::erase(session.channels, channel);
        out.push(3);
        out.bulk("unsubscribe");
        out.bulk(channel);
        out.integer(static_cast<std::int64_t>(session.channels.size()));
    }
}

bool sim_redis::is_loaded(const known_script* script) const noexcept {
    return script != nullptr && script->number < loaded_.size() && loaded_[script->number];
}

void sim_redis::run_script_command(reply_sink& out) {
    if (words_.size() == 3 && words_[1] == "EXISTS") {
        out.array(1);
        return out.integer(is_loaded(scripts_.find(words_[2])) ? 1 : 0);
    }
    if (words_.size() != 3 || words_[1] != "LOAD") { return out.error(syntax_error); }
    const auto& script = scripts_.load(words_[2]);
    if (loaded_.size() <= script.number) { loaded_.resize(script.number + 1); }
    loaded_[script.number] = true;
    out.bulk(script.sha);
}

void sim_redis::call_script(reply_sink& out) {
    const auto* const script = scripts_.find(words_[1]);
    if (!is_loaded(script)) { return out.error("NOSCRIPT No matching script. Please use EVAL."); }
    if (replication_.is_replica()) {
        return out.error("READONLY You can't write against a read only replica.");
    }
    const auto count = static_cast<std::size_t>(to_integer(words_[2]).value_or(0));
    const auto rest = word_list{words_}.subspan(3);
    scripts_.vm().call(script->handle, rest.first(count), rest.subspan(count), *this, out);
    if (!scripts_.vm().fault().empty()) { throw std::runtime_error{scripts_.vm().fault()}; }
}

std::size_t sim_redis::publish(std::string_view channel, std::string_view payload) {
    std::size_t count = 0;
    for (auto& [id, each] : sessions_) {
        if (std::find(each.channels.begin(), each.channels.end(), channel) == each.channels.end()) {
            continue;
        }
        resp_writer out{each.output, each.resp3};
        out.push(3);
        out.bulk("message");
        out.bulk(channel);
        out.bulk(payload);
        ++count;
    }
    return count;
}

std::string sim_redis::info() const {
    constexpr std::int64_t us_per_second = 1'000'000;
    std::array<char, 40> run{};
    std::snprintf(run.data(), run.size(), "%08x%08llx", number_ + 1,
                  static_cast<unsigned long long>(run_));
    return std::string{"# Server\r\nrun_id:"} + run.data() + "000000000000000000000000\r\n" +
           "uptime_in_seconds:" + std::to_string((clock_us_ - started_us_) / us_per_second) +
           "\r\n# Memory\r\nmaxmemory:0\r\nmaxmemory_policy:noeviction\r\n# Replication\r\nrole:" +
           (replication_.is_replica() ? "slave" : "master") +
           "\r\nmaster_replid:" + replication_.id() + "\r\n";
}

void sim_redis::set_uptime(std::int64_t seconds) noexcept {
    constexpr std::int64_t us_per_second = 1'000'000;
    started_us_ = clock_us_ - seconds * us_per_second;
}

void sim_redis::restart() {
    sessions_.clear();
    loaded_.clear();
    ++run_;
    started_us_ = clock_us_;
    replication_.restart();
}

} // namespace holdfast::sim
