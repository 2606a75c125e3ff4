#!lua flags=allow-oom
-- Who holds a name and who waits for it. See fields.lua.
--#variant grace
--#variant cluster
--
-- KEYS  the record
-- Answer  {now, highest token, kind, limit, holders, waiters}; each holder is {owner, token,
--       deadline, rest_until, since, terms}, each waiter {owner, alive_until, since, terms}, in
--       their order. kind is '' if nobody holds it or waits. limit is negative if resize.lua has
--       set it.
--
-- It settles first, as all do, so that nobody is shown who has gone. But where clients with
-- max_lease work, one without it only looks: they know when something may be granted.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
--#grace --#include grace.lua

-- The usual case of a long list: held exclusively, and nobody waits. There is nothing to settle.
local rec = redis.call('GET', KEYS[1])
if rec and string.sub(rec, REC_VERSION_TAG) == 'hf2x' and #rec >= LEAST_EXCLUSIVE then
    local sub, token = string.sub, string.sub(rec, REC_TOKEN) + 0
    local left = sub(rec, REC_DEADLINE) - now
    if left > 0 and left <= sub(rec, REC_LEASE) * 1000 and sub(rec, REC_REST) == NO_INSTANT then
        return {now, token, sub(rec, REC_TERMS_KIND), 1,
                {{sub(rec, REC_OWNER), token, left + now, 0, math.min(token, now),
                  sub(rec, REC_TERMS)}}, {}}
    end
end

--#cluster local TAG = table.remove(ARGV)
--#cluster --#include cluster.lua
--#include state.lua

local S, wrong = load(KEYS[1], now)
if not S then return wrong end
--#grace note_grace(S, grace_left(call('GET', S.key), S.key, now) or 1)
local only_looks = false
local run = string.match(S.key, '^[^{]*') .. 'run' --#not_cluster
only_looks = redis.pcall('EXISTS', run) == 1 --#not_cluster
--#grace only_looks = false
if not only_looks then
    settle(S)
    drop_dead_waiters(S)
    save(S)
end

local holders, waiters = {}, {}
-- Tokens, which stand for the instant of an exclusive grant, may be ahead of the clock.
local function see(hold)
    if math.max(hold.deadline, hold.rest) <= now then return end -- it has only looked
    holders[#holders + 1] = {hold.owner, hold.token, hold.deadline, hold.rest,
                             math.min(hold.since, now), hold.terms}
end
if S.hold then
    see(S.hold)
elseif S.taken > 0 then
    for _, owner in ipairs(call('ZRANGE', S.d, 0, -1)) do
        local entry = call('HGET', S.h, owner)
        if entry then see(member(owner, entry)) end
    end
end
if S.queue then
    for _, owner in ipairs(call('ZRANGE', S.q, 0, -1)) do
        local entry = call('HGET', S.w, owner)
        if entry and sub(entry, WAIT_ALIVE) - now > 0 then
            waiters[#waiters + 1] = {owner, tonumber(sub(entry, WAIT_ALIVE)),
                                     tonumber(sub(entry, WAIT_SINCE)), sub(entry, WAIT_TERMS)}
        end
    end
end
local known = (not is_used(S) or S.kind == KIND_SEMAPHORE) and known_limit(S)
return {now, S.high, S.kind or '', known and -known or S.limit or 1, holders, waiters}
