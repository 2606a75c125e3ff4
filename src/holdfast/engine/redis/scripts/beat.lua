#!lua flags=allow-oom
-- Renews holds and keeps waiters in their queues, many at once. See state.lua.
--
-- KEYS  one record per item
-- ARGV  per item: owner, and the lease in us or w for a waiter
-- Answer  per item: 1 renewed, 0 lost, {0, token} granted, {1, ahead, check_in us} queued, or a
--       string that begins with - : an error, which is only this item's
--
-- One script for many, because each alone would cost more to send than to do. Items do not change
-- one another. Allowed when the server is out of memory: a holder must not lose its lock by that.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local one

-- The usual case: an exclusive hold that lives.
local function renew(key, owner, lease)
    local rec = redis.call('GET', key)
    if not rec or string.sub(rec, 118, 165) ~= owner then return false end
    local tag = string.sub(rec, 1, 4)
    if tag ~= 'hf1x' and tag ~= 'hf1q' then return false end
    if tonumber(string.sub(rec, 21, 36)) <= now then return false end
    redis.call('SETRANGE', key, '20', string.format('%016d', now + lease))
    redis.call('PEXPIRE', key, '176400000')
    return true
end

local function slow()
--#include state.lua
    return function(key, owner, lease)
        local S, wrong = load(key, now)
        if not S then return '-' .. wrong.err end
        settle(S, owner)
        local held = find(S, owner)
        if held and held.deadline <= now then held = nil end -- resting
        local answer = 0
        if lease ~= 'w' then
            if held then
                held.deadline = now + lease
                put(S, held)
                answer = 1
            end
        elseif held then
            answer = {0, held.token}
        elseif touch(S, owner) then
            answer = place(S, owner)
        end
        save(S)
        return answer
    end
end

local answers = {}
for i = 1, #KEYS do
    local key, owner, lease = KEYS[i], ARGV[2 * i - 1], ARGV[2 * i]
    local done, said = true, 1
    if lease ~= 'w' then done, said = pcall(renew, key, owner, lease) end
    if not done or said == false or lease == 'w' then
        if not one then one = slow() end
        done, said = pcall(one, key, owner, lease)
    elseif said == true then
        said = 1
    end
    if not done then
        said = '-' .. (type(said) == 'table' and said.err or tostring(said))
    end
    answers[i] = said
end
return answers
