#!lua flags=allow-oom
-- Renews holds as Redisson keeps them, many at once. See docs/layouts.md.
--#variant cluster
--#cluster_flags allow-oom,allow-cross-slot-keys
--
-- KEYS  one lock per item
--#cluster -- KEYS  that, or none: then the locks follow the other arguments
-- ARGV  per item: the owner, and the lease in ms or w for a waiter, who has to ask anew
-- Answer  per item: 1 renewed, 0 lost, or a string that begins with - : an error, only this item's
--
-- Atomic because between the comparison and the renewal it may come to be another's. It only ever
-- raises the time to live (GT): this may be an old request, delayed on a connection that its client
-- has given up, and there is no room for a counter that would tell. No time to live stays none.
--#include redisson_tag.lua
--#include redisson_rw_keys.lua
--#include redisson_permits.lua
local function renew(key, owner, lease)
    if lease == 'w' then return 0 end
    if is_semaphore(key) then
        local now = now_ms()
        local count, lives = permits_of(key, owner, now)
        if not lives then return 0 end
        write_permits(key, owner, count, now + tonumber(lease))
        return 1
    end
    local found = redis.call('HMGET', key, owner, 'mode')
    local held, mode = found[1], found[2]
    if mode == 'write' then
        held = redis.call('HEXISTS', key, owner .. ':write') == 1
    elseif mode == 'read' and held then
        local own = reader_key(key, owner, 1)
        held = redis.call('EXISTS', own) == 1
        if held then redis.call('PEXPIRE', own, lease, 'GT') end
    end
    if not held then return 0 end
    redis.call('PEXPIRE', key, lease, 'GT')
    return 1
end

--#include renew_each.lua
