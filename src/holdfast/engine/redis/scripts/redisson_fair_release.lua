#!lua flags=allow-oom
-- Gives up Redisson's fair lock, or a place in its queue, and wakes the next in it. See
-- docs/layouts.md.
--
-- KEYS  1 the lock; 2 the latch, which remembers it, if that is wanted
-- ARGV  1 the owner, 2 the channel, to which an owner is added, 3 the command that publishes, 4 for
--       how many ms it is remembered, 5 '1': also that nothing was held
-- Answer  0 not held by it, 1 released
--
-- Atomic because between the comparison and the removal it may come to be another's. It publishes
-- before it releases: if it may not, the lock stays.
--#include redisson_fair_queue.lua
local call = redis.call
local before = KEYS[2] and call('GET', KEYS[2])
local mine = call('HEXISTS', KEYS[1], ARGV[1]) == 1
drop_silent(server_ms())
local was_first = call('LINDEX', queue, 0) == ARGV[1]
leave_queue(ARGV[1])
-- Unlike in Redisson, one that leaves the head of the queue of a free lock wakes the next, too.
if mine or (was_first and call('EXISTS', KEYS[1]) == 0) then
    local head = call('LINDEX', queue, 0)
    if head then call(ARGV[3], ARGV[2] .. ':' .. head, '0') end
end
if mine then call('DEL', KEYS[1]) end
if not KEYS[2] then return mine and 1 or 0 end
--#include remember_release.lua
return remember(KEYS[2], before, mine, ARGV[4], ARGV[5])
