-- Redisson's read-write lock: HASH name {mode: read|write, owner -> count of a reader's holds,
-- owner:write -> count of the writer's}; and a STRING per hold of a reader, which lives as long as
-- that hold's lease. No script by itself.
local function reader_key(key, owner, index)
    return tag_of(key) .. ':' .. owner .. ':rwlock_timeout:' .. index
end

-- How many ms are left of the longest lease of a reader's holds; below 1: none is left.
local function reader_left(key, owner, count)
    local left = -3
    for i = 1, tonumber(count) or 0 do
        left = math.max(left, redis.call('PTTL', reader_key(key, owner, i)))
    end
    return left
end
