-- Gives back the permits of `owner`; says whether it had some whose leases had not ended. No script
-- by itself: of redisson_release.lua.
local function release_permits(key, owner, publish)
    local count, lives = permits_of(key, owner, now_ms())
    if count == 0 then return false end
    local free = tonumber(redis.call('GET', key)) + count
    if free > 0 then
        redis.call(publish, 'redisson_sc:' .. tag_of(key), string.format('%.0f', free))
    end
    for i = 1, count do redis.call('ZREM', permits_key(key), owner .. ':' .. i) end
    redis.call('INCRBY', key, count)
    return lives
end
