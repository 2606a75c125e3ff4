#!lua flags=allow-oom
-- Gives up a lock as Redisson keeps it, and wakes its waiters and ours. See docs/layouts.md.
--
-- KEYS  1 the lock; 2 the latch, which remembers the answer for a request that is sent again; a
--       withdrawal has none
-- ARGV  1 the owner, 2 the channel, 3 the command that publishes, 4 how long the latch lasts, ms
-- Answer  0 not held by it, 1 released
--
-- Atomic because between the comparison and the removal it may come to be another's. It publishes
-- first: if it may not, nothing is done.
local call = redis.call
if KEYS[2] and call('GET', KEYS[2]) == '1' then return 1 end
if call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
call(ARGV[3], ARGV[2], '0')
call('DEL', KEYS[1])
if KEYS[2] then call('SET', KEYS[2], '1', 'PX', ARGV[4]) end
return 1
