#pragma once
// Several engines behind one: their descriptors, answers and notices together.

#include "holdfast/engine/engine.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace holdfast::engine {

/// What a member of a group has sent.
struct group_event {
    unsigned member = 0;
    bool is_notice = false;
    holdfast::engine::answer answer{}; ///< or
    holdfast::engine::notice notice{};
};

/// Owns the members and moves their I/O. A member answers from inside `submit` or `drive`, where
/// nobody may call an engine; so the group collects what they send, and its user takes it after.
///
/// Thread safety: none.
class engine_group {
public:
    explicit engine_group(std::vector<std::unique_ptr<engine>> members);
    engine_group(const engine_group&) = delete;
    engine_group& operator=(const engine_group&) = delete;
    ~engine_group();

    [[nodiscard]] unsigned size() const noexcept { return static_cast<unsigned>(members_.size()); }
    [[nodiscard]] const engine& member(unsigned index) const noexcept {
        return *members_[index]->engine;
    }

    /// `owner` is asked for the driver's last reading of the clock, and hears of reconnects.
    void attach(sink& owner);
    void submit(unsigned member, op_id id, const op& operation, base::instant give_up);
    void cancel(unsigned member, op_id id);

    void pollables(std::vector<pollfd>& out) const;
    /// Drives every member, or with nothing ready those to which something was submitted and those
    /// that are due.
    void drive(std::span<const pollfd> ready, base::instant now);
    /// Whether something was submitted since the last `drive`.
    [[nodiscard]] bool has_submitted() const noexcept { return submitted_; }
    [[nodiscard]] base::instant due() const noexcept;

    /// The next event, in the order in which they were sent; valid until the next call.
    [[nodiscard]] group_event* next_event();

    /// A direct read from the member that is expected to answer last of the `awaited` that answer
    /// first: when its reply is there, those of the others are, too.
    [[nodiscard]] direct_read start_direct_read(unsigned awaited);
    /// Also reads what the other members have received meanwhile.
    void finish_direct_read(std::size_t source, ssize_t count, int error, base::instant now);
    [[nodiscard]] std::size_t replies_in_flight() const;

    /// Forgets what was collected, and resets all members.
    void reset() noexcept;

private:
    class member_sink final : public sink {
    public:
        member_sink(engine_group& group, unsigned index) noexcept : group_{group}, index_{index} {}
        void answered(holdfast::engine::answer&& answer) override;
        void noticed(const holdfast::engine::notice& notice) override;
        void reconnected() noexcept override;
        [[nodiscard]] base::instant now() const noexcept override;

    private:
        engine_group& group_;
        unsigned index_;
    };
    struct group_member {
        std::unique_ptr<holdfast::engine::engine> engine;
        std::unique_ptr<member_sink> sink;
        base::instant due{}; ///< in the past at first: nothing is known of it yet
        bool submitted = false;
        base::duration reply_time{0}; ///< a running mean
        base::instant asked = base::never;
    };

    void drive_member(group_member& member, std::span<const pollfd> ready, base::instant now);
    void note_reply_time(group_member& member, base::instant now) noexcept;
    [[nodiscard]] group_event& add_event(unsigned member);

    std::vector<std::unique_ptr<group_member>> members_;
    sink* owner_ = nullptr;
    std::vector<group_event> events_; ///< reused: `next_event_` counts those that were taken
    std::size_t event_count_ = 0;
    std::size_t next_event_ = 0;
    std::vector<pollfd> descriptors_; ///< kept for its memory
    bool submitted_ = false;
};

} // namespace holdfast::engine
