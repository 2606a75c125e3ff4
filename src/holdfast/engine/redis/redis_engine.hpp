#pragma once
// The engine over one server, and one connection to it for commands and the inbox.

#include "holdfast/engine/engine.hpp"
#include "holdfast/engine/redis/flights.hpp"
#include "holdfast/engine/redis/late_acquires.hpp"
#include "holdfast/engine/redis/late_attempts.hpp"
#include "holdfast/engine/redis/layout.hpp"
#include "holdfast/engine/redis/link.hpp"
#include "holdfast/engine/redis/place.hpp"
#include "holdfast/engine/redis/plain_layout.hpp"
#include "holdfast/engine/redis/redisson_layout.hpp"
#include "holdfast/engine/redis/server_clock.hpp"
#include "holdfast/engine/redis/waits.hpp"

#include <deque>
#include <string>

namespace holdfast::engine::redis {

/// Operations wait until the connection is ready, then go out in their order; replies come in the
/// same order, and messages for the inbox between them. When the connection breaks, what was sent
/// is `unknown` and what was not sent `failed`; whoever asked sends it again. A message that was
/// lost holds nothing up: waiters hear of their grants also by their heartbeats.
class redis_engine final : public engine {
public:
    redis_engine(place where, const client_identity& identity);

    [[nodiscard]] capabilities caps(primitive kind) const override { return caps_in(kind, {}); }
    [[nodiscard]] capabilities caps_in(primitive kind, const lock_format& format) const override;
    void attach(sink& to) override { sink_ = &to; }
    void submit(op_id id, const op& operation, base::instant give_up) override;
    void cancel(op_id id) override;
    void pollables(std::vector<pollfd>& out) const override;
    base::instant drive(std::span<const pollfd> ready, base::instant now) override;
    [[nodiscard]] direct expect() override;
    base::instant received(ssize_t count, int error, base::instant now) override;
    [[nodiscard]] std::size_t expected() const override { return on_the_way_; }
    void reset() noexcept override;

private:
    struct waiting {
        op_id id = 0;
        op operation;
        base::instant give_up{};
    };

    /// Whether a release and an acquire can be one command, in this session.
    enum class exchanging : std::uint8_t { unused, wanted, possible };

    [[nodiscard]] session::greeting greeting();

    // Sending.
    void send(op_id id, const op& operation, base::instant give_up, base::instant now);
    [[nodiscard]] base::instant counts_until(const flight& request) const noexcept;
    [[nodiscard]] validity validity_of(flight& acquire) const;
    void write(flight& to, const acquire_op& operation);
    [[nodiscard]] flight* release_just_before();
    void write(flight& to, const release_op& operation);
    void write(flight& to, const withdraw_op& operation);
    void write(flight& to, const beat_op& operation);
    void write(flight& to, const inspect_op& operation);
    void write(flight& to, const list_op& operation);
    void write(flight& to, const break_op& operation);
    void write(flight& to, const diagnose_op& operation);
    flight& take_off(request_kind kind, base::instant now);
    void send_waiting(base::instant now);
    void load_scripts(base::instant now);
    void load_scripts_again(base::instant now);
    void load(const script& script, base::instant now);
    void flush(bool gather, base::instant now);
    void be_quiet(flight& each);
    void be_patient(const flight& each);
    void count_sent();
    void let_short_answers_lie(bool yes);

    /// Something that nobody asked for: `write` appends one command, and gets its flight.
    template <typename Write>
    void ours(request_kind kind, base::instant now, Write write) {
        flight& made = take_off(kind, now);
        auto& out = link_.now()->out();
        const auto before = out.size();
        write(out, made);
        written_ += out.size() - before;
        made.end = written_;
    }

    // Locks in layouts that others made.
    [[nodiscard]] static capabilities native_caps();
    [[nodiscard]] foreign_layout* foreign(const lock_format& format) noexcept; ///< null: native
    [[nodiscard]] foreign_layout* foreign(const op& operation) noexcept;
    [[nodiscard]] bool cannot(op_id id, const op& operation);
    [[nodiscard]] bool answer_beats_here(op_id id, const beat_op& operation);
    void need_scripts(foreign_layout& layout, base::instant now);
    void prepare(foreign_layout& in, const op& operation, base::instant now);
    void load_scripts(foreign_layout& layout, base::instant now);
    void listen(const foreign_layout& in, const std::string& channel, base::instant now);
    void stop_listening(base::instant now);
    void write_foreign(flight& to, const acquire_op& operation);
    [[nodiscard]] release_memory memory_for(const ticket& lock, foreign_layout& layout,
                                            base::instant now);
    void write_foreign(flight& to, const release_op& operation);
    void write_foreign(flight& to, const withdraw_op& operation);
    void note_late(const flight& lost, base::instant now);
    void note_late(const flights& requests, std::uint64_t sent, base::instant now);
    void note_remembered(const flight& done);
    void undo_late(base::instant now);
    void ask_by_script(const flight& request, base::instant now);
    void heard_take(flight& request, const reply& reply, base::instant now);
    void heard_foreign(flight& request, const reply& reply, base::instant now);
    void heard_granted(flight& request, answer&& answer, base::instant now);
    void heard_busy(flight& request, std::int64_t pttl, base::instant now);
    void heard_released(flight& request, const reply& reply, base::instant now);
    void heard_push(const reply& reply, base::instant now);

    // Hearing.
    void heard_greeting(const reply& reply, base::instant now);
    void heard(const reply& reply, base::instant now);
    void heard(flight& request, const reply& reply, base::instant now);
    void heard_exchange(const reply& reply, base::instant now);
    void heard_error(flight& request, const reply& reply, base::instant now);
    void heard_acquire(flight& request, const reply& reply, base::instant now);
    void heard_beat(const flight& request, const reply& reply);
    void heard_scan(const flight& request, const reply& reply, base::instant now);
    void heard_listed(const flight& request, const reply& reply);
    void heard_diagnosis(const flight& request, const reply& reply);
    void heard_message(const reply& reply, base::instant now);
    void say(const flight& to, answer&& answer);
    void fail(op_id id, std::error_code code, const std::string& detail,
              op_status status = op_status::failed, bool retry_now = false);

    [[nodiscard]] base::instant clock() const noexcept;
    base::instant go_on(bool gather, base::instant now);
    void heard_anything(const reply& reply, base::instant now);

    // When things go wrong.
    void changed(link::change change, base::instant now);
    void forget_session() noexcept;
    void fail_waiting(std::error_code code, const std::string& detail, bool retry_now);
    void give_up(base::instant now);
    [[nodiscard]] bool is_silent(const flight& since, base::instant now) const noexcept;
    void read_before_time_is_up(base::instant now);
    void break_off_if_dead(base::instant now);
    [[nodiscard]] base::instant due() const noexcept;
    [[nodiscard]] base::milliseconds longest_lie() const noexcept;
    [[nodiscard]] std::string server() const { return "Redis at " + where_.server.text(); }

    const place where_;
    const base::client_id client_;
    const base::time_source& time_;
    layout layout_;
    plain_layout plain_;
    redisson_layout redisson_;
    bool plain_loaded_ = false; ///< its scripts, in this session; likewise
    bool redisson_loaded_ = false;
    exchanging exchange_ = exchanging::unused;
    waits waits_;
    std::vector<base::owner_id> half_released_; ///< in these layouts: sent, and not answered yet
    late_acquires late_; ///< likewise, those whose connection ended before they were answered
    server_clock clock_;
    late_attempts attempts_; ///< of native acquires that may still arrive
    sink* sink_ = nullptr;

    link link_;
    bool was_ready_ = false;
    unsigned greeted_ = 0; ///< replies to the greeting so far
    base::instant greeting_sent_{};

    std::deque<waiting> waiting_;
    flights flights_;
    flights abandoned_;                 ///< by `reset`: `drive` notes which may still arrive
    std::uint64_t abandoned_bytes_ = 0; ///< of them, those sent
    std::size_t on_the_way_ = 0;        ///< of the flights, those that are sent
    std::size_t most_lately_ = 0;       ///< so many flights there were at once
    std::size_t quiet_ = 0;             ///< of the flights, those that are
    std::size_t patient_ = 0;           ///< of those that are not sent, the last so many can wait
    base::instant patient_until_{};     ///< if there are such
    bool crowded_ = false;              ///< the last who asked has many before it
    bool lets_lie_ = false;             ///< short answers, for a while
    std::uint64_t written_ = 0;         ///< bytes of commands for the present session
    base::instant earliest_ = base::never; ///< no operation gives up before this
    base::instant heard_at_{};             ///< when the last reply or message came
    bool is_dead_ = false;                 ///< a renewal waited in vain: break the connection off
    bool timed_out_ = false;               ///< the connection was broken off for its silence

    std::vector<char> direct_;    ///< what a caller reads into by itself
    bool read_by_others_ = false; ///< between `expect` and `received`: nothing may be closed
};

} // namespace holdfast::engine::redis
