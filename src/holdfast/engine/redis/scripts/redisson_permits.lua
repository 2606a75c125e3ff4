-- Redisson's semaphores: STRING name, the permits that are free; ZSET {name}:timeout, each permit
-- that is out -> when its lease ends, in ms. Permits of ours are <owner>:1, <owner>:2 and so on,
-- those of Redisson's expirable semaphore 16 bytes; those of its usual one are not in there. No
-- script by itself.
local function permits_key(key) return tag_of(key) .. ':timeout' end

local function now_ms()
    local time = redis.call('TIME')
    return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- How many permits the owner has, and whether their leases have not ended.
local function permits_of(key, owner, now)
    local ends = redis.call('ZSCORE', permits_key(key), owner .. ':1')
    if not ends then return 0, false end
    local count = 1
    while redis.call('ZSCORE', permits_key(key), owner .. ':' .. count + 1) do count = count + 1 end
    return count, tonumber(ends) > now
end

-- All permits of a hold end at the same time. A lease is only ever raised (GT).
local function write_permits(key, owner, count, ends)
    local at = string.format('%.0f', ends)
    for i = 1, count do
        redis.call('ZADD', permits_key(key), 'GT', at, owner .. ':' .. i)
    end
end

-- False for another lock, or none; an error for a string that is no number.
local function is_semaphore(key)
    if redis.call('TYPE', key).ok ~= 'string' then return false end
    if not tonumber(redis.call('GET', key)) then
        error({err = 'HFFOREIGN its key holds something else'})
    end
    return true
end
