#!lua flags=allow-oom
-- Gives up a hold, and hands it to the first waiter in the same step. See fields.lua.
--#variant grace
--#variant cluster
--
-- KEYS  the record
-- ARGV  1 NO_INSTANT (no min_hold, as the record has it) and the owner; 2 the token of the hold:
--       tokens are to rise from there even if the hold is lost. Absent: not needed
-- Answer  0 not held, 1 released, 2 handed off
--
-- Atomic because between a release and the grant to the first in the queue nobody may slip in.
-- Allowed when the server is out of memory: it frees.
--#grace --#include grace.lua
--#cluster local TAG = table.remove(ARGV)
local rec = redis.call('GET', KEYS[1])
local mine = rec and string.sub(rec, REC_REST_OWNER) == ARGV[1]
local tag = rec and string.sub(rec, REC_VERSION_TAG)

-- Alone, with nobody waiting: it is marked as idle and stays as it is. Whether it had run out does
-- not matter here, since nobody has taken it.
if mine and tag == 'hf2x' then
    redis.call('SETRANGE', KEYS[1], REC_TAG_AT, 'i')
    if string.sub(rec, REC_LEASE) > SHORT_LEASE then redis.call('PEXPIRE', KEYS[1], IDLE_MS) end
    return RELEASE_DONE
end

local owner = string.sub(ARGV[1], 17)
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
--#grace local grace = grace_left(rec, KEYS[1], now) or 1 -- whoever cannot tell hands nothing off
--#grace mine = mine and grace == 0

--#cluster --#include cluster.lua
--#cluster if is_moving(KEYS[1]) then return TRY_AGAIN end
local counted = tag == 'hf2m'
--#grace counted = counted and grace == 0
if counted then
    --#include release_counted.lua
end

-- Alone, with a crowd waiting: the usual hand-off. Whatever is unusual is left to the rule. Nobody
-- looks for listeners beside a crowd: behind the last waiter they are not told, and ask again.
if mine and tag == 'hf2q' and string.sub(rec, REC_DEADLINE) - now > 0 then
    local call, sub, key = redis.call, string.sub, KEYS[1]
    local q, w = key .. ':q', key .. ':w'
    local first = call('ZRANGE', q, '0', '1')
    local entry = first[1] and call('HGET', w, first[1])
    local alive = entry and sub(entry, WAIT_ALIVE) - now or 0
    local high = sub(rec, REC_TOKEN) + 0
    local refresh = high > now or now - high > now % 500000 -- see QUEUE_MS
    if alive > 0 and alive <= PATIENCE_US and sub(entry, WAIT_MODE) == MODE_EXCLUSIVE
            and sub(entry, WAIT_MIN_HOLD_QUEUEING) == '00000000000g'
            and (not refresh or call('PTTL', w) >= QUEUE_FRESH_MS) then
        local who = first[1]
        local token = now
        local keep = high < now and now - high < now % WINDOW_US
            and sub(rec, REC_LEASE) <= SHORT_LEASE
        if not keep then
            --#include mark.lua
        end
        if token then
            local text = string.format('%016d', token)
            local lease = sub(entry, WAIT_LEASE)
            if lease > HAND_OFF_LEASE then lease = HAND_OFF_LEASE end
            -- It is told last of what P1 depends on: a user whose rights do not suffice is refused
            -- in the middle.
            local granted = (first[2] and 'hf2q' or 'hf2x') .. text
                .. string.format('%016d', now + lease * 1000) .. lease .. NO_ORDER
                .. NO_INCARNATION .. owner .. 'h' .. NO_INSTANT .. NO_INSTANT .. who
                .. sub(entry, WAIT_TERMS)
            if keep then
                call('SET', key, granted, 'KEEPTTL')
            else
                call('SET', key, granted, 'PX',
                     string.format('%d', IDLE_MS + (token - now) / 1000))
            end
            local inbox = sub(key, 1, string.find(key, '{', 1, true) - 1) .. 'inbox:'
                .. sub(who, 1, 32)
            if call('PUBLISH', inbox, 'g' .. sub(who, 33) .. text) > 0 then
                call('ZREM', q, who)
                if first[2] then call('HDEL', w, who) else call('DEL', w) end
                if refresh then
                    call('PEXPIRE', q, QUEUE_MS)
                    call('PEXPIRE', w, QUEUE_MS)
                end
                return RELEASE_HANDED_OFF
            end
            call('SET', key, rec, 'KEEPTTL') -- nobody hears it: as it was
        end
    end
end
--#include state.lua

--#include release_by_rule.lua

local S, wrong = load(KEYS[1], now)
if not S then return wrong end
--#grace note_grace(S, grace)
local answer = release_by_rule(S, owner, tonumber(ARGV[2] or 0))
save(S)
return answer
