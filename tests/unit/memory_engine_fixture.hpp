#pragma once
// Clients of the memory engine that record answers and notices.

#include "holdfast/engine/factory.hpp"

#include <holdfast/error.hpp>

#include <gtest/gtest.h>

#include <poll.h>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::engine::memory {

using namespace std::chrono_literals;

class manual_clock final : public base::time_source {
public:
    [[nodiscard]] base::instant now() const noexcept override { return now_; }
    [[nodiscard]] std::int64_t wall_us() const noexcept override { return wall_us_; }
    void pass(base::duration time) {
        now_ += time;
        wall_us_ += std::chrono::duration_cast<std::chrono::microseconds>(time).count();
    }
    /// The wall clock alone.
    void set_back(base::duration time) {
        wall_us_ -= std::chrono::duration_cast<std::chrono::microseconds>(time).count();
    }

private:
    base::instant now_{1h};
    std::int64_t wall_us_ = 1'700'000'000'000'000;
};

class client final : public sink {
public:
    client(std::string_view where, const base::time_source& time) : time_{time} {
        client_identity identity;
        identity.client = id_;
        identity.time = &time;
        identity.host = "here";
        identity.pid = 7;
        engine_ = make_engine(url::parse(where), identity);
        engine_->attach(*this);
    }

    void answered(answer&& answer) override { answers.push_back(std::move(answer)); }
    void noticed(const notice& notice) override { notices.push_back(notice); }

    [[nodiscard]] ticket ticket_of(std::uint64_t number) const {
        return {"stock:1001", {id_, number}};
    }
    /// Puts this client's id in.
    void submit(op operation, op_id id) {
        if (auto* const wanted = std::get_if<acquire_op>(&operation)) {
            wanted->ticket.owner.client = id_;
        }
        engine_->submit(id, operation, base::never);
    }
    answer ask(const op& operation) {
        answers.clear();
        submit(operation, 1);
        EXPECT_EQ(answers.size(), 1U);
        return answers.empty() ? answer{} : answers[0];
    }
    base::instant drive() { return engine_->drive({}, time_.now()); }
    [[nodiscard]] bool readable(int wait_ms = 0) const {
        std::vector<pollfd> all;
        engine_->pollables(all);
        EXPECT_EQ(all.size(), 1U);
        return ::poll(all.data(), 1, wait_ms) == 1;
    }
    /// Waits until it is granted.
    void hold(const acquire_op& operation) {
        notices.clear();
        if (ask(operation).status == op_status::granted) { return; }
        while (notices.empty()) {
            ASSERT_TRUE(readable(60'000));
            drive();
        }
        EXPECT_EQ(notices[0].type, notice::kind::granted);
    }

    std::vector<answer> answers;
    std::vector<notice> notices;

private:
    const base::client_id id_ = base::client_id::make();
    const base::time_source& time_;
    std::unique_ptr<engine> engine_;
};

class memory_engine : public testing::Test {
protected:
    using names = std::vector<std::string>;

    static acquire_op acquire(std::uint64_t number, std::string name = "stock:1001") {
        acquire_op out;
        out.ticket.name = std::move(name);
        out.ticket.owner.number = number;
        out.lease = 10s;
        out.queue = queueing::grant;
        return out;
    }

    /// The names on each page of a list.
    std::vector<names> pages(const std::string& prefix, unsigned count) {
        std::vector<names> out;
        list_op operation{prefix, "", count};
        do {
            const auto answer = first.ask(operation);
            EXPECT_EQ(answer.status, op_status::reported);
            auto& page = out.emplace_back();
            for (const auto& each : answer.report->locks) { page.push_back(each.name); }
            operation.cursor = answer.report->cursor;
        } while (!operation.cursor.empty() && out.size() < 100);
        return out;
    }

    manual_clock clock;
    client first{"memory:unit", clock};
    client second{"memory:unit", clock};
};

} // namespace holdfast::engine::memory
