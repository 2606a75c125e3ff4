#include "holdfast/engine/redis/diagnosis.hpp"

#include "holdfast/engine/redis/protocol/command.hpp"
#include "holdfast/engine/redis/protocol/info.hpp"

#include <utility>

namespace holdfast::engine::redis {

namespace {

void complete(operation& operation, std::string_view info) {
    report found;
    found.text = operation.ticket.name; // the server, as it was when the request was sent
    const auto warning = eviction_warning(info);
    if (!warning.empty()) { found.text += "; " + warning; }
    operation.complete(std::move(found));
}

} // namespace

std::string eviction_warning(std::string_view info) {
    const auto policy = info_line(info, "maxmemory_policy");
    if (policy.empty()) {
        return "its eviction policy cannot be seen by this user: only noeviction is safe";
    }
    if (policy == "noeviction" || info_line(info, "maxmemory") == "0") { return {}; }
    return "its eviction policy " + std::string{policy} +
           " can remove locks: set maxmemory-policy noeviction";
}

void diagnosis::begin(operation& operation, node& node, std::string about, base::instant now) {
    operation.ticket.name = std::move(about);
    node.channel().send(*this, 0, operation, now, [](std::string& out) {
        append_command(out, {"INFO", "memory"});
    });
}

bool diagnosis::on_reply(request& request, const reply& reply, base::instant /*now*/) {
    if (!reply.is_text()) { return false; }
    complete(*request.op, reply.text());
    return true;
}

void diagnosis::on_error(request& request, const server_error& /*error*/, base::instant /*now*/) {
    complete(*request.op, {});
}

} // namespace holdfast::engine::redis
