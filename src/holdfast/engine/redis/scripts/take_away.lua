#!lua flags=allow-oom
-- Breaks a lock: takes it away from its holders. See state.lua.
--
-- KEYS  the record
-- ARGV  only the holder with this token, or 0
-- Answer  0 nobody held it, 1 done
--
-- Atomic so that only those lose it who held it when the break was asked for.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local only = tonumber(ARGV[1])
--#include state.lua

local S, wrong = load(KEYS[1], now)
if not S then return wrong end
drop_ended(S)
local all = {}
if S.hold then
    all[1] = S.hold
elseif S.taken > 0 then
    local entries = call('HGETALL', S.h)
    for i = 1, #entries, 2 do all[#all + 1] = member(entries[i], entries[i + 1]) end
end
local answer = 0
for _, one in ipairs(all) do
    if only == 0 or one.token == only then
        remove(S, one)
        answer = 1
        if one.deadline > now then
            call('PUBLISH', inbox(S, one.owner), 'b' .. sub(one.owner, 33)
                 .. format('%016d', one.token))
        end
    end
end
grant_heads(S)
save(S)
return answer
