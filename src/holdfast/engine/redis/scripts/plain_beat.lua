#!lua flags=allow-oom
-- Renews plain locks, many at once. See docs/layouts.md.
--#variant cluster
--#cluster_flags allow-oom,allow-cross-slot-keys
--
-- KEYS  one lock per item
--#cluster -- KEYS  that, or none: then the locks follow the other arguments
-- ARGV  per item: the value, and the lease in ms or w for a waiter, who has to ask anew
-- Answer  per item: 1 renewed, 0 lost, or a string that begins with - : an error, only this item's
--
-- Atomic because between the comparison and the renewal it may come to be another's. It only ever
-- raises the time to live (GT): this may be an old request, delayed on a connection that its client
-- has given up, and there is no room for a counter that would tell. No time to live stays none.
local function renew(key, value, lease)
    if lease == 'w' or redis.call('GET', key) ~= value then return 0 end
    redis.call('PEXPIRE', key, lease, 'GT')
    return 1
end

--#include renew_each.lua
