-- Ends the hold of `owner` of Redisson's read-write lock; says whether it had one. No script by
-- itself: of redisson_release.lua.
--
-- The last one wakes the waiters: 0 is for one in each process, 1 for all of them. A reader's lease
-- ends alone: the hash then lives as long as the longest lease of the others. Unlike Redisson, it
-- wakes them also if a writer leaves readers of its own behind. A reader whose lease has ended
-- takes only its field away: it cannot tell about the others.
local function release_half(key, mode, owner, publish)
    local field = mode == 'write' and owner .. ':write' or owner
    if redis.call('HEXISTS', key, field) == 0 then return false end
    local all, left, alone = redis.call('HGETALL', key), -3, true
    for i = 1, #all, 2 do
        if all[i] ~= 'mode' and all[i] ~= field then
            left, alone = math.max(left, reader_left(key, all[i], all[i + 1])), false
        end
    end
    local writes, own = mode == 'write', reader_key(key, owner, 1)
    local lives = writes or redis.call('EXISTS', own) == 1
    local free = alone or (lives and left < 1)
    if free or writes then
        redis.call(publish, 'redisson_rwlock:' .. tag_of(key), writes and '1' or '0')
    end
    redis.call('DEL', own)
    if free then
        redis.call('DEL', key)
    else
        redis.call('HDEL', key, field)
        if writes then redis.call('HSET', key, 'mode', 'read') end
        if lives then redis.call('PEXPIRE', key, left) end
    end
    return true
end
