// Memory runs out while the engine learns that its connection has ended: it connects again.
#include "holdfast/engine/factory.hpp"
#include "scarcity/scarce.hpp"
#include "support/redis_server.hpp"
#include "support/scratch_folder.hpp"
#include "support/timing.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <poll.h>
#include <string>
#include <vector>

namespace {

using namespace holdfast::test;
using holdfast::engine::op_status;
namespace seam = holdfast::engine;

/// An engine that the test drives. Its answers need no memory.
class driven_engine final : private seam::sink {
public:
    explicit driven_engine(const std::string& url)
        : engine_{seam::make_engine(seam::url::parse(url), identity_)} {
        engine_->attach(*this);
    }

    /// Not as a try does it, which would connect at once.
    void submit_acquire(const std::string& name) {
        seam::acquire_op op;
        op.ticket = {.name = name, .owner = {.client = identity_.client, .number = ++last_id_}};
        op.lease = 30s;
        answer_.reset();
        engine_->submit(last_id_, op, identity_.time->now() + patience);
    }
    void drive(const std::vector<pollfd>& ready = {}) {
        engine_->drive(ready, identity_.time->now());
    }
    /// As a client that waits does it: again, if it failed because there was no connection yet.
    [[nodiscard]] bool acquires(const std::string& name) {
        const stopwatch watch;
        do {
            submit_acquire(name);
            await_answer();
        } while (answer_ != op_status::granted && watch.elapsed() < patience);
        return answer_ == op_status::granted;
    }
    void reset() { engine_->reset(); }

private:
    static constexpr milliseconds patience = 2s; ///< it takes some 20 ms

    void await_answer() {
        while (!answer_) { // the engine answers in time, whatever happens
            std::vector<pollfd> ready;
            engine_->pollables(ready);
            ::poll(ready.data(), ready.size(), 5);
            drive(ready);
        }
    }
    void answered(seam::answer&& answer) override {
        if (answer.id == last_id_) { answer_ = answer.status; }
    }
    void noticed(const seam::notice& /*notice*/) override {}

    seam::client_identity identity_{seam::this_process()};
    seam::op_id last_id_ = 0;
    std::optional<op_status> answer_;
    std::unique_ptr<seam::engine> engine_; // last, so that it goes before what it answers to
};

TEST(no_memory_at_the_end_of_a_connection, does_not_keep_the_engine_from_connecting_again) {
    const redis_server server;
    const scratch_folder folder;
    const auto socket = folder / "socket"; // leads nowhere at first
    bool refused = true;
    for (std::size_t which = 1; refused && !testing::Test::HasFailure(); ++which) {
        SCOPED_TRACE("request " + std::to_string(which) + " is refused");
        driven_engine engine{"redis+unix://" + socket};
        engine.submit_acquire("first");
        bool threw = false;
        scarce::refuse_own_memory(which);
        try {
            engine.drive(); // reports that the connection has failed
        } catch (const std::bad_alloc&) { threw = true; }
        refused = scarce::settle().refused;
        if (threw) { engine.reset(); }

        std::filesystem::create_symlink(server.unix_path(), socket);
        EXPECT_TRUE(engine.acquires("stock " + std::to_string(which)));
        std::filesystem::remove(socket);
        EXPECT_TRUE(refused || which > 1) << "nothing was tested";
    }
}

} // namespace
