-- Ends the hold of `owner` of Redisson's read-write lock; says whether it had one. No script by
-- itself: of redisson_release.lua.
--
-- The last one wakes the waiters: 0 is for one in each process, 1 for all of them. A reader's lease
-- ends alone: the hash then lives as long as the longest lease of the others. Unlike Redisson, it
-- wakes them also if a writer leaves readers of its own behind.
local function release_half(key, mode, owner, publish)
    local field = mode == 'write' and owner .. ':write' or owner
    if redis.call('HEXISTS', key, field) == 0 then return false end
    local all, left = redis.call('HGETALL', key), -3
    for i = 1, #all, 2 do
        if all[i] ~= 'mode' and all[i] ~= field then
            left = math.max(left, reader_left(key, all[i], all[i + 1]))
        end
    end
    local writes, free = mode == 'write', left < 1
    if free or writes then
        redis.call(publish, 'redisson_rwlock:' .. tag_of(key), writes and '1' or '0')
    end
    local held = writes or redis.call('DEL', reader_key(key, owner, 1)) == 1
    if free then
        redis.call('DEL', key)
    else
        redis.call('HDEL', key, field)
        if writes then redis.call('HSET', key, 'mode', 'read') end
        redis.call('PEXPIRE', key, left)
    end
    return held
end
