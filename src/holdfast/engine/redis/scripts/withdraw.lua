#!lua flags=allow-oom
-- Leaves the queue, or gives up a grant that nobody heard of. See fields.lua.
--
-- KEYS  the record
-- ARGV  1 the owner; 2 the highest not-after of its acquires that may still arrive. Absent: none
-- Answer  0 there was nothing, 1 done
--
-- Atomic because the grant may come at the very moment at which its waiter leaves.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local owner = ARGV[1]
--#include state.lua

local S, wrong = load(KEYS[1], now)
if not S then return wrong end
drop_ended(S)
local answer = sub(S.last, 1, 48) == owner and sub(S.last, 49) ~= '-' and 1 or 0
local held = find(S, owner)
if held and held.deadline > now then
    -- min_hold is for work that was done. Nobody heard of this grant, so none was.
    remove(S, held)
    remember(S, owner, 'r')
    answer = 1
elseif S.queue and call('ZREM', S.q, owner) == 1 then
    call('HDEL', S.w, owner)
    answer = 1
    if call('ZCARD', S.q) == 0 then
        call('DEL', S.w)
        S.queue, S.changed = false, true
    end
end
refuse_late(S, owner, ARGV[2])
grant_heads(S) -- it may have been the head that did not fit
save(S)
return answer
