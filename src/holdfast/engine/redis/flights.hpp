#pragma once
// What was asked of the server and is not answered yet, in the order in which it was asked.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/answers.hpp"
#include "holdfast/engine/ops.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::engine::redis {

/// Whose answer a reply is.
enum class asked : std::uint8_t {
    acquire,
    release,
    withdraw, ///< or a break: they answer alike
    beat,
    inspect,
    scan,
    listed,   ///< an inspect for a list
    diagnose, ///< first TIME, then INFO
    time,     ///< ours: to know the server's clock
    load,     ///< ours: scripts
    undo,     ///< ours: a withdraw for a cancelled acquire
};

/// A list that is being put together.
struct list_job {
    op_id id = 0;
    report page{};
    std::size_t missing = 0;
};

struct flight {
    asked what{};
    bool answered = false;  ///< given up; the reply is still to come
    bool cancelled = false; ///< nobody wants it
    op_id id = 0;
    base::instant sent{};
    base::instant give_up = base::never;
    base::instant not_after = base::never; ///< acquire
    std::uint64_t end = 0;                 ///< in bytes of the session, where its command ends
    ticket who{};                          ///< acquire; inspect: the name; scan: the cursor
    unsigned count = 0;                    ///< scan: the longest page
    std::vector<ticket> items{};           ///< beat
    std::shared_ptr<list_job> list{};
};

using flights = std::deque<flight>;

} // namespace holdfast::engine::redis
