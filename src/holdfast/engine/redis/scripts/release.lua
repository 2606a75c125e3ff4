#!lua flags=allow-oom
-- Gives up a hold, and hands it to the first waiter in the same step. See state.lua.
--
-- KEYS  the record
-- ARGV  '0000000000000000' (no min_hold, as the record has it) and the owner
-- Answer  0 not held, 1 released, 2 handed off
--
-- Atomic because between a release and the grant to the first in the queue nobody may slip in.
-- Allowed when the server is out of memory: it frees.
local rec = redis.call('GET', KEYS[1])
local mine = rec and string.sub(rec, 102, 165) == ARGV[1]
local tag = rec and string.sub(rec, 1, 4)

-- Alone, with nobody waiting: it is marked as idle and stays as it is. Whether it had run out does
-- not matter here, since nobody has taken it.
if mine and tag == 'hf1x' then
    redis.call('SETRANGE', KEYS[1], '3', 'i')
    return 1
end

local owner = string.sub(ARGV[1], 17)
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

-- Alone, with a crowd waiting: the usual hand-off. Whatever is unusual is left to the rule.
if mine and tag == 'hf1q' and string.sub(rec, 21, 36) - now > 0 then
    local call, sub, key = redis.call, string.sub, KEYS[1]
    local q, w = key .. ':q', key .. ':w'
    local first = call('ZRANGE', q, '0', '1')
    local entry = first[1] and call('HGET', w, first[1])
    if entry and sub(entry, 1, 16) - now > 0 and sub(entry, 34, 34) == 'x'
            and sub(entry, 54, 65) == '00000000000g' then
        local who, token = first[1], now
        local high = sub(rec, 5, 20) + 0
        if high >= now then token = high + 1 end
        local text = string.format('%016d', token)
        local inbox = sub(key, 1, string.find(key, '{', 1, true) - 1) .. 'inbox:' .. sub(who, 1, 32)
        if token < 9007199254740992 then
            local lease = math.min(2000000, sub(entry, 46, 53) * 1000)
            -- It is told last of what P1 depends on: a user whose rights do not suffice is refused
            -- in the middle.
            local granted = (first[2] and 'hf1q' or 'hf1x') .. text
                .. string.format('%016d', now + lease) .. owner
                .. 'h00000000000000000000000000000000' .. who .. sub(entry, 33)
            if high < now and now - high < now % 3600000000 then
                call('SET', key, granted, 'KEEPTTL')
            else
                call('SET', key, granted, 'PX', '176400000')
            end
            if call('PUBLISH', inbox, 'g' .. sub(who, 33) .. text) > 0 then
                call('ZREM', q, who)
                if first[2] then call('HDEL', w, who) else call('DEL', w) end
                if high > now or now - high > now % 500000 then -- see QUEUE_MS
                    call('PEXPIRE', q, '3000')
                    call('PEXPIRE', w, '3000')
                end
                return 2
            end
            call('SET', key, rec, 'KEEPTTL') -- nobody hears it: as it was
        end
    end
end
--#include state.lua

local S, wrong = load(KEYS[1], now)
if not S then return wrong end
drop_ended(S)
local held = find(S, owner)
local answer = 0
if held and held.deadline > now then
    local rests = held.rest > now
    if rests then
        held.deadline = 0
        put(S, held)
    else
        remove(S, held)
    end
    answer = grant_heads(S) > 0 and not rests and 2 or 1
    remember(S, owner, answer == 2 and 'h' or 'r')
else
    grant_heads(S)
    if held and held.deadline == 0 then answer = 1 end
    if sub(S.last, 1, 48) == owner then
        local outcome = sub(S.last, 49)
        answer = outcome == 'h' and 2 or outcome == 'r' and 1 or answer
    end
end
save(S)
return answer
