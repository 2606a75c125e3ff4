#!lua
-- Asks for a hold. See fields.lua for the layout.
--#variant grace
--#variant cluster
--
-- KEYS  the record. The other keys of the name are made from it: same hash tag.
-- ARGV  1 not-after (16 digits), NO_INSTANT, owner (48), terms: as the record will have it;
--       2 proposed token, or 0; 3 the highest not-after of earlier sendings of this request that
--       may still arrive, or 0; 4 the id of the node that this server must be to grant it. Without
--       2 to 4: none, and the terms are of an exclusive hold without min_hold
-- Answer  the token, or {1, ahead, check_in us} queued, {2, highest token} busy, {3, now} too late,
--       {4, kind} in use as another kind, {5, limit} with another limit, {6, most} too many wait,
--       {7, 0} tokens are used up, {8, 0} not that node, or it does not vote yet, {10, now} the
--       proposed token is too far ahead of the clock, {13, limit} more permits than there are,
--       {14, 0} the owner has released it, given up, lost it to a break, or rests (min_hold).
--       -n: queued, n are ahead, who are more than a few. All but this one have 12 bytes or more,
--       so that a client can let it lie until more comes.
--
--#grace -- Also  {11, now} verify the incarnation first, {12, us left} nothing is granted yet
-- Atomic because taking a free lock, joining the queue of a held one and refusing a late duplicate
-- must be one decision. Without flags: a server that is out of memory or read-only refuses the
-- whole script before anything is written.
--#cluster local TAG = table.remove(ARGV)
local call, sub = redis.call, string.sub
local time = call('TIME')
local now = time[1] * 1000000 + time[2]
local key, ask = KEYS[1], ARGV[1]
local rec = call('GET', key)
local tag = rec and sub(rec, REC_VERSION_TAG)
--#grace --#include grace.lua
--#grace local grace = grace_left(rec, key, now)
--#grace if not grace then return {ANSWER_STALE, now} end
--#grace if grace == 0 then

if not ARGV[2] and (tag == 'hf2i' or not rec) then
    local left = sub(ask, ASK_NOT_AFTER) - now
    if left < 0 or left > LONGEST_NOT_AFTER_US then return {ANSWER_LATE, now} end
    local last, high = NO_OWNER, 0
    if rec then
        last = sub(rec, REC_OWNER)
        if last == sub(ask, ASK_OWNER) then --\
            return {ANSWER_ENDED, 0} end -- comes after its own release
        high = sub(rec, REC_TOKEN) + 0
    end
    --#include grant_free.lua
    return {ANSWER_NO_TOKENS, 0}
end

if ARGV[2] and ARGV[2] ~= '0' and (not ARGV[3] or ARGV[3] == '0')
        and (tag == 'hf2i' or not rec) and sub(ask, ASK_MIN_HOLD) == NO_MIN_HOLD then
    --#include grant_vote.lua
end

--#cluster --#include cluster.lua
local free = ARGV[2] == '0' and not ARGV[3] and (tag == 'hf2i' or not rec)
--#cluster free = free and not is_moving(key)
if free and sub(ask, ASK_MIN_HOLD) == NO_MIN_HOLD then
    --#include grant_counted.lua
end

--#cluster if (tag == 'hf2q' or tag == 'hf2x') and is_moving(key) then return TRY_AGAIN end
-- Held, and to be waited for: the usual case of a crowd. Whatever is unusual is left to the rule.
if (tag == 'hf2q' or tag == 'hf2x') and not ARGV[2] and sub(ask, ASK_QUEUEING) == QUEUEING_GRANT
        and sub(rec, REC_TERMS_KIND) == sub(ask, ASK_KIND) then
    local left, ends = sub(ask, ASK_NOT_AFTER) - now, sub(rec, REC_DEADLINE) - now
    local who, q, w = sub(ask, ASK_OWNER), KEYS[1] .. ':q', KEYS[1] .. ':w'
    local high = sub(rec, REC_TOKEN) + 0
    -- See QUEUE_MS.
    local refresh = tag == 'hf2x' or high > now or now - high > now % 500000
    if left >= 0 and left <= LONGEST_NOT_AFTER_US
            and ends > 0 and ends <= sub(rec, REC_LEASE) * 1000
            and who ~= sub(rec, REC_OWNER) and who ~= sub(rec, REC_LAST_OWNER)
            and (tag == 'hf2x' and call('EXISTS', q, w) == 0
                 or tag == 'hf2q' and (not refresh or call('PTTL', w) >= QUEUE_FRESH_MS)) then
        local serial = call('HINCRBY', w, '#', '1')
        local entry = string.format('%016d%016d', now + PATIENCE_US, now) .. sub(ask, ASK_TERMS)
        if call('HSETNX', w, who, entry) == 1 then
            call('ZADD', q, serial, who)
            if tag == 'hf2x' then call('SETRANGE', KEYS[1], REC_TAG_AT, 'q') end
            if refresh or serial == 1 then -- 1: the keys have just been made
                call('PEXPIRE', q, QUEUE_MS)
                call('PEXPIRE', w, QUEUE_MS)
            end
            local ahead = call('ZCARD', q) - 1
            if ahead < 4 then return {ANSWER_QUEUED, ahead, ends} end
            if ahead < MOST_WAITERS then return -ahead end
            call('ZREM', q, who)
            call('HDEL', w, who)
        end
    end
end
--#grace end

--#include state.lua
--#include vote.lua

local proposed = tonumber(ARGV[2] or 0)
local not_after, owner = sub(ask, ASK_NOT_AFTER) + 0, sub(ask, ASK_OWNER)
local terms = sub(ask, ASK_TERMS)
local lease = sub(terms, TERMS_LEASE)

local function enqueue(S)
    local ahead = touch(S, owner)
    if ahead then return place(S, owner, ahead) end
    if not S.queue then
        local q, w = call('TYPE', S.q).ok, call('TYPE', S.w).ok
        if (q ~= 'none' and q ~= 'zset') or (w ~= 'none' and w ~= 'hash') then
            return foreign('the keys of its queue hold something else')
        end
        if q ~= 'none' or w ~= 'none' then call('DEL', S.q, S.w) end
    else
        revive_after_stall(S)
        if call('ZCARD', S.q) >= MOST_WAITERS then drop_dead_waiters(S) end
        if call('ZCARD', S.q) >= MOST_WAITERS then return {ANSWER_TOO_MANY, MOST_WAITERS} end
    end
    call('ZADD', S.q, call('HINCRBY', S.w, '#', 1), owner)
    call('HSET', S.w, owner, format('%016d%016d', now + PATIENCE_US, now) .. terms)
    call('PEXPIRE', S.q, QUEUE_MS)
    call('PEXPIRE', S.w, QUEUE_MS)
    if not S.queue then
        S.queue, S.changed = true, true
        --#grace S.kind = S.kind or sub(terms, TERMS_KIND)
        --#grace S.limit = S.limit or 1
    end
    return place(S, owner, call('ZRANK', S.q, owner))
end

local function ask_for_it(S)
    local held = find(S, owner)
    --#grace if S.grace then held = nil end -- it may have ended, and another have been granted
    if held then
        if held.deadline <= now then -- resting: nobody heard of it in time
            refuse_late(S, owner, ARGV[3])
            return {ANSWER_ENDED, 0}
        end
        if proposed > held.token and not comes_too_late(S, owner, not_after) then
            local no = reject_proposal(now, S.high, proposed)
            if no then return no end
            held.token, S.high = proposed, proposed
            put(S, held)
        end
        -- The asker may count its lease from any request of its own that was answered.
        if now + lease * 1000 > held.deadline and not comes_too_late(S, owner, not_after) then
            held.deadline, held.lease = now + lease * 1000, lease
            put(S, held)
        end
        -- Unless it was the last of the earlier ones that got it, that one may still arrive.
        if held.not_after ~= tonumber(ARGV[3] or 0) then refuse_late(S, owner, ARGV[3]) end
        return held.token
    end
    if sub(S.last, 1, 48) == owner and sub(S.last, 49) ~= '-' then
        refuse_late(S, owner, ARGV[3]) -- the next release will be remembered instead
        return {ANSWER_ENDED, 0}
    end
    if comes_too_late(S, owner, not_after) or is_broken(S, owner) then return {ANSWER_ENDED, 0} end
    if now > not_after or not_after > now + LONGEST_NOT_AFTER_US then return {ANSWER_LATE, now} end
    refuse_late(S, owner, ARGV[3])
    local kind = sub(terms, TERMS_KIND)
    if is_used(S) and kind ~= S.kind then return {ANSWER_OTHER_KIND, S.kind} end
    if kind == KIND_SEMAPHORE then
        local limit, no = limit_for(S, terms)
        if not limit then return no end
        S.limit = limit
    end
    if S.queue or not fits(S, terms) then
        local queueing = sub(terms, TERMS_QUEUEING)
        --#grace if S.grace and queueing == QUEUEING_NO then return {ANSWER_GRACE, S.grace} end
        if queueing == QUEUEING_NO then return {ANSWER_BUSY, 0} end
        return queueing == QUEUEING_LISTEN and listen(S, owner) or enqueue(S)
    end
    local no = ARGV[4] and reject_node(S.key, now, ARGV[4])
        or proposed > 0 and reject_proposal(now, S.high, proposed) or nil
    if no then return no end
    if sub(terms, TERMS_MODE) ~= MODE_EXCLUSIVE then
        local wrong = prepare_to_count(S)
        if wrong then return wrong end
    end
    local token = proposed > 0 and proposed or token_for(S, terms)
    if not token then return {ANSWER_NO_TOKENS, 0} end
    return grant(S, owner, terms, lease, token, not_after).token
end

local S, wrong = load(KEYS[1], now)
if not S then return wrong end
--#grace note_grace(S, grace)
if sub(terms, TERMS_KIND) == KIND_SEMAPHORE then -- before anything is written
    need_right('GET', S.r)
    need_right('PEXPIRE', S.r, '1')
end
settle(S, owner)
local answer = ask_for_it(S)
save(S)
return answer
