-- The queue of Redisson's fair lock: LIST redisson_lock_queue:{name}, the owners that wait; ZSET
-- redisson_lock_timeout:{name}, owner -> until when it is waited for at the head, in ms. Each owner
-- ahead adds its own wait to that of those behind, and takes it off when it leaves the queue. Ours
-- ask often, so they add only 5 s: a dead one delays the others by no more. No script by itself.
--#include redisson_tag.lua
local queue = 'redisson_lock_queue:' .. tag_of(KEYS[1])
local timeouts = 'redisson_lock_timeout:' .. tag_of(KEYS[1])
local patience = 5000

-- Removes those at the head that are not waited for any more.
local function drop_silent(now)
    while true do
        local head = redis.call('LINDEX', queue, 0)
        if not head then return end
        local ends = redis.call('ZSCORE', timeouts, head)
        if ends and tonumber(ends) > now then return end
        redis.call('LPOP', queue)
        redis.call('ZREM', timeouts, head)
    end
end

-- Removes `owner` if it waits: those behind it wait for one less.
local function leave_queue(owner)
    local at = redis.call('LPOS', queue, owner)
    if not at then return end
    for _, behind in ipairs(redis.call('LRANGE', queue, at + 1, -1)) do
        redis.call('ZINCRBY', timeouts, -patience, behind)
    end
    redis.call('LREM', queue, 0, owner)
    redis.call('ZREM', timeouts, owner)
end

local function server_ms()
    local time = redis.call('TIME')
    return time[1] * 1000 + math.floor(time[2] / 1000)
end
