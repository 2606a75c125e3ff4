#!lua flags=allow-oom
-- Renews holds and keeps waiters in their queues, many at once. See fields.lua.
--#variant grace
--#variant cluster
--#cluster_flags allow-oom,allow-cross-slot-keys
--
-- KEYS  one record per item
-- ARGV  per item: NO_INSTANT, the owner (48), and w for a waiter; for a renewal the lease in ms (8
--       digits) and its order (12 digits), and if it is to be made again where it is lost, r, its
--       token (16), the not-after of that (16) and its terms
-- Answer  per item: 1 renewed, 0 lost, 2 made again, {0, token} granted, {1, ahead, check_in us}
--       queued, or a string that begins with - : an error, which is only this item's
--
--#grace -- Also  3 verify the incarnation first, then ask again: it is not known whether it is lost
--#cluster -- ARGV  also  per item TAG; then, without KEYS, the records
-- A renewal that arrives after a later one of its hold changes nothing: it may be old, and would
-- shorten the lease. It is answered as renewed, because the hold is there. One without an order can
-- only lengthen the lease, for the same reason.
--
-- One script for many, because each alone would cost more to send than to do. Items do not change
-- one another. Allowed when the server is out of memory: a holder must not lose its lock by that.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local rule
--#grace --#include grace.lua
--#cluster local count = #KEYS == 0 and #ARGV / 3 or #ARGV / 2
--#cluster for i = count * 2 + 1, #ARGV do KEYS[#KEYS + 1] = ARGV[i] end
--#cluster local TAG

-- The usual case: an exclusive hold that lives, has no min_hold and a token of the past.
local function renew(key, item)
    local sub = string.sub
    local rec = redis.call('GET', key)
    if not rec or sub(rec, REC_REST_OWNER) ~= sub(item, ITEM_REST_OWNER) then return false end
    --#grace if sub(rec, REC_INCARNATION) ~= ID then return false end
    local tag, order = sub(rec, REC_VERSION_TAG), sub(item, ITEM_ORDER)
    --#cluster tag = string.lower(tag) -- the record outlives what is remembered of others
    if tag ~= 'hf2x' and tag ~= 'hf2q' or order == NO_ORDER then return false end
    if sub(rec, REC_DEADLINE) - now <= 0 then return false end
    if order <= sub(rec, REC_ORDER) then return true end
    local lease = sub(item, ITEM_LEASE)
    local deadline = string.format('%016d', now + lease * 1000)
    if sub(rec, REC_TOKEN) > deadline then return false end
    redis.call('SETRANGE', key, REC_DEADLINE_AT, deadline .. sub(item, ITEM_LEASE_ORDER))
    redis.call('PEXPIRE', key, lease > SHORT_LEASE and lease + MEMORY_MS or IDLE_MS)
    return true
end

local function by_the_rule()
--#cluster --#include cluster.lua
--#include state.lua
--#include reclaim.lua
    return function(key, item)
        local S, wrong = load(key, now)
        if not S then return '-' .. wrong.err end
        --#grace local grace = grace_left(call('GET', key), key, now)
        --#grace if not grace then return BEAT_STALE end
        --#grace note_grace(S, grace)
        local owner, answer = sub(item, ITEM_OWNER), BEAT_LOST
        settle(S, owner)
        local held = find(S, owner)
        if held and held.deadline <= now then held = nil end -- resting
        --#grace if not S.grace then item = sub(item, ITEM_UP_TO_ORDER) end -- no reclaims
        --#grace if S.grace and sub(item, ITEM_WAITS) == 'w' then held = nil end -- not believed
        if sub(item, ITEM_WAITS) ~= 'w' then
            if held then
                answer = BEAT_RENEWED
                local order, lease = sub(item, ITEM_ORDER), sub(item, ITEM_LEASE)
                local longer = now + lease * 1000 > held.deadline
                if order > held.order or order == NO_ORDER and longer then
                    if order ~= NO_ORDER then held.order = order end
                    held.lease, held.deadline = lease, now + lease * 1000
                    put(S, held)
                end
                --#grace if S.grace and S.hold and is_in_time(S, item) then S.incarnation = ID end
            elseif sub(item, ITEM_RECLAIMS) == 'r' and reclaim(S, owner, item) then
                answer = BEAT_RECLAIMED
            --#grace elseif S.grace and is_reclaimed_late(S, item) then answer = BEAT_STALE
            end
        elseif held then
            answer = {0, held.token}
        else
            local ahead = touch(S, owner)
            answer = ahead and place(S, owner, ahead) or 0
        end
        save(S)
        return answer
    end
end

local answers = {}
for i = 1, #KEYS do
    local key, item = KEYS[i], ARGV[i]
    local done, answer = true, false
    --#cluster TAG = ARGV[count + i]
    if string.sub(item, ITEM_WAITS) ~= 'w' then done, answer = pcall(renew, key, item) end
    if not done or answer == false then
        rule = rule or by_the_rule()
        done, answer = pcall(rule, key, item)
    elseif answer == true then
        answer = BEAT_RENEWED
    end
    if not done then
        answer = '-' .. (type(answer) == 'table' and answer.err or tostring(answer))
    end
    answers[i] = answer
end
return answers
