#!lua
-- Changes the limit of a semaphore for all its users, and grants the waiters that fit now. See
-- fields.lua.
--#variant grace
--#variant cluster
--
-- KEYS  the record
-- ARGV  1 the owner of the request; 2 the limit, or 0 to look only; 3 the generation of the limit
--       that it replaces, 0: none was set; 4 not-after
-- Answer  {ANSWER_LIMIT, limit that was set last (0: none), its generation, 1 done or 0 not},
--       {ANSWER_LATE, now}, {ANSWER_OTHER_KIND, kind} in use as another kind
--
--#grace -- Also  {11, now} verify the incarnation first
-- Atomic because a permit that a higher limit frees belongs to the first waiter. It replaces only
-- the generation that its sender has seen, so a late duplicate never undoes what came after it; and
-- sent again it is known by its owner. Without flags: it needs memory.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
--#grace --#include grace.lua
--#cluster local TAG = table.remove(ARGV)
--#cluster --#include cluster.lua
--#include state.lua

-- They would wait for ever, and all others behind them. They ask again, and learn why.
local function drop_waiters_above_limit(S)
    if not S.queue then return end
    local all = call('HGETALL', S.w)
    for i = 1, #all, 2 do
        local who, terms = all[i], sub(all[i + 1], WAIT_TERMS)
        if who ~= '#' and who ~= '!' and permits_of(terms) > S.limit then
            call('ZREM', S.q, who)
            call('HDEL', S.w, who)
            call('PUBLISH', inbox(S, who), 'm' .. sub(who, 33))
        end
    end
end

local S, wrong = load(KEYS[1], now)
if not S then return wrong end
--#grace local grace = grace_left(call('GET', S.key), S.key, now)
--#grace if not grace then return {ANSWER_STALE, now} end
--#grace note_grace(S, grace)
local limit, generation, owner = known_limit(S)
local wanted, not_after = tonumber(ARGV[2]), tonumber(ARGV[4])
if wanted == 0 or owner == ARGV[1] then
    return {ANSWER_LIMIT, limit or 0, generation or 0, owner == ARGV[1] and 1 or 0}
end
if now > not_after or not_after > now + LONGEST_NOT_AFTER_US then return {ANSWER_LATE, now} end
if (generation or 0) ~= tonumber(ARGV[3]) then
    return {ANSWER_LIMIT, limit or 0, generation or 0, 0}
end
need_rights(S)
need_right('SET', S.r, '')
need_right('HGETALL', S.w)
settle(S)
if is_used(S) and S.kind ~= KIND_SEMAPHORE then
    save(S)
    return {ANSWER_OTHER_KIND, S.kind}
end
generation = math.max((generation or 0) + 1, now)
call('SET', S.r, format('%05d%016d', wanted, generation) .. ARGV[1], 'PX', LIMIT_MS)
if is_used(S) then
    S.limit, S.changed = wanted, true
    drop_waiters_above_limit(S)
    if grant_heads(S) == 0 then tell_listeners(S) end
end
save(S)
return {ANSWER_LIMIT, wanted, generation, 1}
