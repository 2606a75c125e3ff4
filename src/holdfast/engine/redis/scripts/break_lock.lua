#!lua flags=allow-oom
-- Breaks a lock: takes it away from its holders. See fields.lua.
--#variant grace
--#variant cluster
--
-- KEYS  the record
-- ARGV  only the holder with this token, or 0
-- Answer  0 nobody held it, 1 done
--
-- Atomic so that only those lose it who held it when the break was asked for.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
--#grace --#include grace.lua
--#cluster local TAG = table.remove(ARGV)
--#cluster --#include cluster.lua
local only = tonumber(ARGV[1])
--#include state.lua

local S, wrong = load(KEYS[1], now)
if not S then return wrong end
--#grace note_grace(S, grace_left(call('GET', S.key), S.key, now) or 1)
drop_ended(S)
local all = {}
if S.hold then
    all[1] = S.hold
elseif S.taken > 0 then
    local entries = call('HGETALL', S.h)
    for i = 1, #entries, 2 do all[#all + 1] = member(entries[i], entries[i + 1]) end
end
local answer = 0
for _, hold in ipairs(all) do
    if only == 0 or hold.token == only then
        remove(S, hold)
        answer = 1
        if hold.deadline > now then
            -- If its client has not heard of the grant yet it asks again: not for this hold.
            remember_broken(S, hold.owner)
            call('PUBLISH', inbox(S, hold.owner), 'b' .. sub(hold.owner, 33)
                 .. format('%016d', hold.token))
        end
    end
end
if grant_heads(S) == 0 and answer == 1 then tell_listeners(S) end
save(S)
return answer
