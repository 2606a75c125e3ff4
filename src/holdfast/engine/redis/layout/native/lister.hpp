#pragma once
// Lists locks: a page of SCAN, then an inspection of each name on it.

#include "holdfast/engine/redis/layout/native/native_commands.hpp"
#include "holdfast/engine/redis/node/command_channel.hpp"

namespace holdfast::engine::redis {

/// One operation, with a request per name on the page. The first error fails it; only a key that is
/// not a lock, or whose slot is being moved, is left out.
///
/// Thread safety: none.
class lister final : public request_handler {
public:
    explicit lister(native_commands& commands) noexcept : commands_{commands} {}

    void begin(operation& operation, const list_op& op, command_channel& channel,
               base::instant now);

    [[nodiscard]] bool on_reply(request& request, const reply& reply, base::instant now) override;
    void on_error(request& request, const server_error& error, base::instant now) override;

private:
    enum class request_kind : std::uint8_t { scan, inspect };

    void on_scan_reply(operation& operation, const reply& reply, base::instant now);
    void inspect_each(operation& operation, base::instant now);
    static void on_inspected(operation& operation);

    native_commands& commands_;
};

} // namespace holdfast::engine::redis
