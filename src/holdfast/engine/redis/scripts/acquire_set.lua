#!lua
-- Asks for several exclusive holds at once: all, or none. See fields.lua.
--#variant grace
--#variant cluster
--
-- KEYS  the records, all different
-- ARGV  per record: as the first one of acquire.lua, without queueing
-- Answer  {ANSWER_ALL, token per record}, or one of the refusals of acquire.lua, which is true of
--       at least one of the names; nothing was granted then
--
--#grace -- Also  {11, now} verify the incarnation first, {12, us left} nothing is granted yet
-- Atomic because whoever gets only some of the names would keep others waiting for nothing. Grants
-- only what is free and not waited for, so nobody is passed. All that may fail comes before the
-- first grant is written. Without flags: a server that is out of memory or read-only refuses the
-- whole script before anything is written.
--#cluster local TAG = table.remove(ARGV)
local call, sub = redis.call, string.sub
local time = call('TIME')
local now = time[1] * 1000000 + time[2]
--#grace --#include grace.lua
local recs, simple = {}, true
for i = 1, #KEYS do
    local rec, ask = call('GET', KEYS[i]), ARGV[i]
    --#grace local grace = grace_left(rec, KEYS[i], now)
    --#grace if not grace then return {ANSWER_STALE, now} end
    --#grace if grace > 0 then return {ANSWER_GRACE, grace} end
    if rec and sub(rec, REC_VERSION_TAG) ~= 'hf2i' or sub(ask, ASK_MIN_HOLD) ~= NO_MIN_HOLD then
        simple = false
    end
    recs[i] = rec
end

-- The usual case: all are free and were used before, or never.
if simple then
    local left = sub(ARGV[1], ASK_NOT_AFTER) - now
    if left < 0 or left > LONGEST_NOT_AFTER_US then return {ANSWER_LATE, now} end
    local tokens, keeps = {ANSWER_ALL}, {}
    for i = 1, #KEYS do
        local key, rec, high = KEYS[i], recs[i], 0
        if rec then
            if sub(rec, REC_OWNER) == sub(ARGV[i], ASK_OWNER) then --\
                return {ANSWER_BUSY, 0} end -- comes after its own release
            high = sub(rec, REC_TOKEN) + 0
        end
        local token = now
        local keep = high < now and now - high < now % WINDOW_US
            and sub(ARGV[i], ASK_LEASE) <= SHORT_LEASE
        if not keep then
            --#include mark.lua
        end
        if not token then return {ANSWER_NO_TOKENS, 0} end
        tokens[i + 1], keeps[i] = token, keep
    end
    for i = 1, #KEYS do
        local key, ask, token = KEYS[i], ARGV[i], tokens[i + 1]
        local lease = sub(ask, ASK_LEASE)
        local rec = string.format('hf2x%016d%016d', token, now + lease * 1000) .. lease .. NO_ORDER
            .. NO_INCARNATION .. (recs[i] and sub(recs[i], REC_OWNER) or NO_OWNER) .. 'r' .. ask
        if keeps[i] then
            call('SET', key, rec, 'KEEPTTL')
        else
            --#include record_life.lua
        end
    end
    return tokens
end

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
    settle(S, sub(ARGV[i], ASK_OWNER))
    save(S) -- waiters that were granted have been told
    S.changed = false
    states[i] = S
    local no = refusal(S, ARGV[i])
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
    local S, ask = states[i], ARGV[i]
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
