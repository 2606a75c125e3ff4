#!lua
-- Asks for several exclusive holds at once: all, or none. See fields.lua.
--#variant grace
--#variant cluster
--
-- KEYS  the records, all different
-- ARGV  1 what the requests of all have in common: not-after and NO_INSTANT; 2 the terms of all, or
--       '' if they differ; then per record the owner, and if they differ its terms. Joined they are
--       the first argument of acquire.lua, without queueing
-- Answer  the token of all, or if they differ {ANSWER_ALL, token per record}; or one of the
--       refusals of acquire.lua, which is true of at least one of the names: nothing was granted
--       then
--
--#grace -- Also  {11, now} verify the incarnation first, {12, us left} nothing is granted yet
-- Atomic because whoever gets only some of the names would keep others waiting for nothing. Grants
-- only what is free and not waited for, so nobody is passed. All that may fail comes before the
-- first grant is written. Without flags: a server that is out of memory or read-only refuses the
-- whole script before anything is written.
--#cluster local TAG = table.remove(ARGV)
local call, sub, text_of = redis.call, string.sub, string.format
local time = call('TIME')
local now = time[1] * 1000000 + time[2]
--#grace --#include grace.lua
local terms, recs = ARGV[2], {}
local simple = sub(terms, TERMS_MIN_HOLD) == NO_MIN_HOLD
for i = 1, #KEYS do
    local rec = call('GET', KEYS[i])
    --#grace local grace = grace_left(rec, KEYS[i], now)
    --#grace if not grace then return {ANSWER_STALE, now} end
    --#grace if grace > 0 then return {ANSWER_GRACE, grace} end
    if rec and sub(rec, REC_VERSION_TAG) ~= 'hf2i' then simple = false end
    recs[i] = rec
end

-- The usual case: all are free and were used before, or never. What the records have in common is
-- written once; instants are compared as texts, which all have 16 digits.
if simple then
    local left = sub(ARGV[1], ASK_NOT_AFTER) - now
    if left < 0 or left > LONGEST_NOT_AFTER_US then return {ANSWER_LATE, now} end
    local lease = sub(terms, TERMS_LEASE)
    local now_text, window = text_of('%016d', now), text_of('%016d', now - now % WINDOW_US)
    local after_token = text_of('%016d', now + lease * 1000) .. lease .. NO_ORDER .. NO_INCARNATION
    local head, after_last = 'hf2x' .. now_text .. after_token, 'r' .. ARGV[1]
    local lives = {} -- of those whose expiry is to be set
    local tokens     -- that are not the clock; nil: there are none
    for i = 1, #KEYS do
        local rec, owner, last, high = recs[i], ARGV[i + 2], NO_OWNER, '0'
        if rec then
            last, high = sub(rec, REC_OWNER), sub(rec, REC_TOKEN)
            if last == owner then return {ANSWER_BUSY, 0} end -- comes after its own release
        end
        if high > window and high < now_text and lease <= SHORT_LEASE then
            recs[i] = head .. last .. after_last .. owner .. terms
        else
            local key, token = KEYS[i], now
            high = high + 0
            --#include mark.lua
            if not token then return {ANSWER_NO_TOKENS, 0} end
            local life = IDLE_MS
            if lease > SHORT_LEASE then life = lease + MEMORY_MS end
            if token > now then
                life = text_of('%d', life + (token - now) / 1000)
                tokens = tokens or {}
                tokens[i] = token
            end
            lives[i] = life
            recs[i] = 'hf2x' .. text_of('%016d', token) .. after_token .. last .. after_last
                .. owner .. terms
        end
    end
    for i = 1, #KEYS do
        if lives[i] then
            call('SET', KEYS[i], recs[i], 'PX', lives[i])
        else
            call('SET', KEYS[i], recs[i], 'KEEPTTL')
        end
    end
    if not tokens then return now end
    local answer = {ANSWER_ALL}
    for i = 1, #KEYS do answer[i + 1] = tokens[i] or now end
    return answer
end

-- The request as acquire.lua has it.
local asks = {}
for i = 1, #KEYS do asks[i] = ARGV[1] .. ARGV[i + 2] .. terms end

--#cluster --#include cluster.lua
--#include state.lua

-- Why the name of this state is not granted; nil: it can be.
local function refusal(S, ask)
    local owner, not_after = sub(ask, ASK_OWNER), sub(ask, ASK_NOT_AFTER) + 0
    local terms = sub(ask, ASK_TERMS)
    S.held = find(S, owner)
    if S.held then return S.held.deadline <= now and {ANSWER_BUSY, 0} or nil end -- resting
    if sub(S.last, 1, 48) == owner and sub(S.last, 49) ~= '-' then return {ANSWER_BUSY, 0} end
    if comes_too_late(S, owner, not_after) or is_broken(S, owner) then return {ANSWER_BUSY, 0} end
    if now > not_after or not_after > now + LONGEST_NOT_AFTER_US then return {ANSWER_LATE, now} end
    local kind = sub(terms, TERMS_KIND)
    if (S.hold or S.taken > 0 or S.queue) and kind ~= S.kind then --\
        return {ANSWER_OTHER_KIND, S.kind} end
    if S.queue or not fits(S, terms) then return {ANSWER_BUSY, 0} end
    S.token = new_token(S.key, now, S.high)
    return not S.token and {ANSWER_NO_TOKENS, 0} or nil
end

local states = {}
for i = 1, #KEYS do
    local S, wrong = load(KEYS[i], now)
    if not S then return wrong end
    --#grace note_grace(S, 0)
    settle(S, sub(asks[i], ASK_OWNER))
    save(S) -- waiters that were granted have been told
    S.changed = false
    states[i] = S
    local no = refusal(S, asks[i])
    if no then return no end
end
-- A script that is refused in the middle has done half of its work: whatever `save` needs is
-- checked before the first grant.
for i = 1, #KEYS do
    need_right('SET', KEYS[i], '')
    if states[i].late then need_right('PTTL', states[i].t) end
end
local answer = {ANSWER_ALL}
for i = 1, #KEYS do
    local S, ask = states[i], asks[i]
    local terms = sub(ask, ASK_TERMS)
    local lease = sub(terms, TERMS_LEASE)
    if not S.held then
        grant(S, sub(ask, ASK_OWNER), terms, lease, S.token, sub(ask, ASK_NOT_AFTER) + 0)
        answer[i + 1] = S.token
    else -- it may count its lease from any request of its own that was answered
        if now + lease * 1000 > S.held.deadline then
            S.held.deadline, S.held.lease = now + lease * 1000, lease
            put(S, S.held)
        end
        answer[i + 1] = S.held.token
    end
    save(S)
end
return answer
