#!lua
-- Asks for a hold. See state.lua for the layout.
--
-- KEYS  the record. The other keys of the name are made from it: same hash tag.
-- ARGV  1 not-after, server time in us (16), '0000000000000000', owner (48), terms: as the record
--       will have it; 2 proposed token, or 0. Absent: none, and the terms are of an exclusive hold
--       without min_hold
-- Answer  the token, or {1, ahead, check_in us} queued, {2, highest token} busy, {3, now} too late,
--       {4, kind} in use as another kind, {5, limit} with another limit, {6, most} too many wait,
--       {7, 0} tokens are used up. -n: queued, n are ahead, who are more than a few. All but this
--       one have 12 bytes or more, so that a client can let it lie until more comes.
--
-- Atomic because taking a free lock, joining the queue of a held one and refusing a late duplicate
-- must be one decision. Without flags: a server that is out of memory or read-only refuses the
-- whole script before anything is written.
local call, sub = redis.call, string.sub
local time = call('TIME')
local now = time[1] * 1000000 + time[2]
local key, ask = KEYS[1], ARGV[1]
local rec = call('GET', key)
local tag = rec and sub(rec, 1, 4)

if not ARGV[2] and (tag == 'hf1i' or not rec) then
    if sub(ask, 1, 16) - now < 0 then return {3, now} end
    local last, high = '000000000000000000000000000000000000000000000000', 0
    if rec then
        last = sub(rec, 118, 165)
        if last == sub(ask, 33, 80) then return {2, 0} end -- comes after its own release
        high = sub(rec, 5, 20) + 0
    end
    --#include grant_free.lua
    return {7, 0}
end

-- Held, and to be waited for: the usual case of a crowd. Whatever is unusual is left to the rule.
if (tag == 'hf1q' or tag == 'hf1x') and not ARGV[2] and sub(ask, 113, 113) == 'g'
        and sub(rec, 166, 166) == sub(ask, 81, 81) and tonumber(sub(rec, 21, 36)) > now
        and now <= tonumber(sub(ask, 1, 16)) then
    local who, q, w = sub(ask, 33, 80), KEYS[1] .. ':q', KEYS[1] .. ':w'
    if who ~= sub(rec, 118, 165) and who ~= sub(rec, 37, 84)
            and (tag == 'hf1q' or call('EXISTS', q, w) == 0) then
        local serial = call('HINCRBY', w, '#', '1')
        local entry = string.format('%016d%016d', now + 3000000, now) .. sub(ask, 81)
        if call('HSETNX', w, who, entry) == 1 then
            call('ZADD', q, serial, who)
            if tag == 'hf1x' then call('SETRANGE', KEYS[1], '3', 'q') end
            local high = sub(rec, 5, 20) + 0
            if tag == 'hf1x' or high > now or now - high > now % 500000 then -- see QUEUE_MS
                call('PEXPIRE', q, '3000')
                call('PEXPIRE', w, '3000')
            end
            local ahead = call('ZCARD', q) - 1
            if ahead < 4 then return {1, ahead, tonumber(sub(rec, 21, 36)) - now} end
            if ahead < 10000 then return -ahead end
            call('ZREM', q, who)
            call('HDEL', w, who)
        end
    end
end

--#include state.lua

local not_after, owner, terms = tonumber(sub(ask, 1, 16)), sub(ask, 33, 80), sub(ask, 81)
local lease = tonumber(sub(terms, 14, 21)) * 1000

local function enqueue(S)
    if touch(S, owner) then return place(S, owner) end
    if not S.queue then
        local q, w = call('TYPE', S.q).ok, call('TYPE', S.w).ok
        if (q ~= 'none' and q ~= 'zset') or (w ~= 'none' and w ~= 'hash') then
            return foreign('the keys of its queue hold something else')
        end
        if q ~= 'none' or w ~= 'none' then call('DEL', S.q, S.w) end
    elseif call('ZCARD', S.q) >= MOST_WAITERS then
        drop_dead_waiters(S)
        if call('ZCARD', S.q) >= MOST_WAITERS then return {6, MOST_WAITERS} end
    end
    call('ZADD', S.q, call('HINCRBY', S.w, '#', 1), owner)
    call('HSET', S.w, owner, format('%016d%016d', now + PATIENCE, now) .. terms)
    call('PEXPIRE', S.q, PATIENCE / 1000)
    call('PEXPIRE', S.w, PATIENCE / 1000)
    if not S.queue then
        S.queue, S.changed = true, true
    end
    return place(S, owner)
end

local function ask(S)
    local held = find(S, owner)
    if held then
        if held.deadline <= now then return {2, 0} end -- resting
        -- The asker may count its lease from any request of its own that was answered.
        if now + lease > held.deadline then
            held.deadline = now + lease
            put(S, held)
        end
        return held.token
    end
    if sub(S.last, 1, 48) == owner and sub(S.last, 49) ~= '-' then return {2, 0} end
    if now > not_after then return {3, now} end
    local kind = sub(terms, 1, 1)
    if S.hold or S.taken > 0 or S.queue then
        if kind ~= S.kind then return {4, S.kind} end
        if kind == 'p' and tonumber(sub(terms, 9, 13)) ~= S.limit then return {5, S.limit} end
    end
    if S.queue or not fits(S, terms) then
        if sub(terms, 33, 33) == 'n' then return {2, 0} end
        return enqueue(S)
    end
    local proposed = tonumber(ARGV[2] or 0)
    if proposed > 0 and proposed <= S.high then return {2, S.high} end
    if proposed == 0 and next_token(S) >= TOKEN_END then return {7, 0} end
    if sub(terms, 2, 2) ~= 'x' then
        local h, d = call('TYPE', S.h).ok, call('TYPE', S.d).ok
        if (h ~= 'none' and h ~= 'hash') or (d ~= 'none' and d ~= 'zset') then
            return foreign('the keys of its holders hold something else')
        end
        if S.taken == 0 and (h ~= 'none' or d ~= 'none') then call('DEL', S.h, S.d) end
    end
    return grant(S, owner, terms, lease, proposed > 0 and proposed or nil).token
end

local S, wrong = load(KEYS[1], now)
if not S then return wrong end
settle(S, owner)
local answer = ask(S)
save(S)
return answer
