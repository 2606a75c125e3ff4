#include "holdfast/engine/redis/protocol/server_error.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <array>

namespace holdfast::engine::redis {

namespace {

struct refusal {
    std::string_view word; ///< the first word of the error
    errc code;
    std::string_view advice;
};

constexpr std::array refusals{
    refusal{"NOSCRIPT", errc::unavailable,
            "the server has lost the scripts; they are loaded again"},
    refusal{"LOADING", errc::unavailable, "the server is loading its data; try again soon"},
    refusal{"BUSY", errc::unavailable,
            "a slow script blocks the server; wait for it, or use SCRIPT KILL"},
    refusal{"READONLY", errc::unavailable,
            "the server is a read-only replica; use the address of the master"},
    refusal{"MASTERDOWN", errc::unavailable,
            "the replica has lost its master; use the address of the master"},
    refusal{"NOREPLICAS", errc::unavailable,
            "the server has too few replicas to accept writes; start one, or lower its "
            "min-replicas-to-write"},
    refusal{"MISCONF", errc::unavailable,
            "the server cannot save to its disk and refuses writes; see its log"},
    refusal{"CLUSTERDOWN", errc::unavailable, "the cluster is down; try again later"},
    refusal{"TRYAGAIN", errc::unavailable, "the cluster is moving the key; try again soon"},
    refusal{"MAXCLIENTS", errc::unavailable,
            "the server has as many clients as it allows; raise its maxclients"},
    refusal{"DENIED", errc::store_forbidden,
            "it is in protected mode, which accepts only clients of its own host; give it a "
            "password (requirepass, or an ACL user) and write redis://user:password@host"},
    refusal{"OOM", errc::store_full,
            "the server is at its maxmemory; raise it, or remove other data"},
    refusal{"NOAUTH", errc::store_forbidden,
            "the server requires a password; write redis://user:password@host, or use --url-file"},
    refusal{"WRONGPASS", errc::store_forbidden,
            "the server refuses this user or password; correct them in the URL"},
    refusal{
        "NOPERM", errc::store_forbidden,
        "the server's ACL does not permit this user to do it; add the rules of docs/redis.md or "
        "docs/layouts.md"},
    refusal{"WRONGTYPE", errc::store_foreign,
            "the key of this name holds something else, or a lock in another layout; choose "
            "another name or prefix (key_prefix, in a layout that others share)"},
    refusal{"HFFOREIGN", errc::store_foreign,
            "it was left as it is; choose another name or prefix"},
    refusal{"HFVERSION", errc::store_foreign,
            "it was left as it is; use one version of Holdfast for this name"},
    refusal{"MOVED", errc::unsupported,
            "the server is a node of a Redis Cluster; write redis+cluster://"},
    refusal{"ASK", errc::unsupported,
            "the server is a node of a Redis Cluster; write redis+cluster://"},
    refusal{"CROSSSLOT", errc::unsupported,
            "the braces in the name put its keys into different slots of the cluster; choose "
            "another name"},
    refusal{"NONLOCAL", errc::unavailable,
            "the slot of the lock is moving, or has moved; try again soon"},
};

/// The text without the script trace at its end, and without the long advice of a server in
/// protected mode.
std::string_view without_trace(std::string_view text) {
    if (text.starts_with("DENIED ")) { text = text.substr(0, text.find(". ")); }
    for (const std::string_view mark : {" script: ", ", on @user_script"}) {
        text = text.substr(0, text.find(mark));
    }
    return text;
}

} // namespace

server_error parse_server_error(std::string_view text, const std::string& server) {
    auto word = text.substr(0, text.find(' '));
    // For a command inside a script Redis 7.0 replies "The user executing", later ones and Valkey
    // reply `later`.
    constexpr std::string_view later = "ERR ACL failure in script: ";
    if (text.starts_with("ERR max number of clients")) { word = "MAXCLIENTS"; }
    const bool non_local = text.find("access a non local key") != std::string_view::npos;
    if (non_local) { word = "NONLOCAL"; }
    if (text.find("do not hash to the same slot") != std::string_view::npos) { word = "CROSSSLOT"; }
    if (text.find("while the cluster is down") != std::string_view::npos) { word = "CLUSTERDOWN"; }
    if (text.starts_with("ERR The user executing the script can't")) { word = "NOPERM"; }
    if (text.starts_with(later)) {
        word = "NOPERM";
        text.remove_prefix(later.size());
    }
    const auto* const found =
        std::find_if(refusals.begin(), refusals.end(),
                     [&](const refusal& refusal) { return refusal.word == word; });
    server_error out;
    out.detail = "Redis at " + server + ": " + std::string{without_trace(text)};
    if (found == refusals.end()) {
        out.code = make_error_code(errc::internal);
        return out;
    }
    out.code = make_error_code(found->code);
    out.detail += ": " + std::string{found->advice};
    out.scripts_are_gone = found->word == "NOSCRIPT";
    out.is_moving = word == "MOVED" || word == "ASK" || word == "TRYAGAIN" || non_local;
    out.may_be_done = non_local;
    out.is_replica = found->word == "READONLY" || found->word == "MASTERDOWN";
    return out;
}

} // namespace holdfast::engine::redis
