#!lua flags=allow-oom
-- Leaves the queue, or gives up a grant that nobody heard of. See fields.lua.
--#variant grace
--#variant cluster
--
-- KEYS  the record
-- ARGV  1 the owner; 2 the highest not-after of its acquires that may still arrive, or 0; 3 the
--       not-after of this request: the owner will ask again, and must not be refused then. Without
--       3: it will not. Without 2: no acquire can still arrive
-- Answer  0 there was nothing, 1 done, 2 too late: it may come after the owner has asked again
--
-- Atomic because the grant may come at the very moment at which its waiter leaves.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
--#grace --#include grace.lua
--#cluster local TAG = table.remove(ARGV)
--#cluster --#include cluster.lua
local owner = ARGV[1]
local left = ARGV[3] and ARGV[3] - now or 0
if left < 0 or left > LONGEST_NOT_AFTER_US then return WITHDRAW_LATE end
--#include state.lua

local S, wrong = load(KEYS[1], now)
if not S then return wrong end
--#grace note_grace(S, grace_left(call('GET', S.key), S.key, now) or 1)
drop_ended(S)
local answer = sub(S.last, 1, 48) == owner and sub(S.last, 49) ~= '-' and 1 or 0
local held, freed = find(S, owner), false
if held and held.deadline > now then
    -- min_hold is for work that was done. Nobody heard of this grant, so none was.
    remove(S, held)
    if not ARGV[3] then remember(S, owner, 'r') end
    answer, freed = 1, true
elseif S.queue and call('ZREM', S.q, owner) == 1 then
    call('HDEL', S.w, owner)
    answer = 1
    if call('ZCARD', S.q) == 0 then
        call('DEL', S.w)
        S.queue, S.changed = false, true
    end
end
if S.listens and call('ZREM', S.l, owner) == 1 then answer = 1 end
refuse_late(S, owner, ARGV[2])
-- It may have been the head that did not fit.
if grant_heads(S) == 0 and freed then tell_listeners(S) end
save(S)
return answer
