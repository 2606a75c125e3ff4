#!lua flags=allow-oom
-- Gives up a plain lock, and tells those of ours who wait for it. See docs/layouts.md.
--
-- KEYS  1 the lock; 2 where to remember it, if that is wanted
-- ARGV  1 the value, 2 the prefix of our channels, if it is not the usual one or it is remembered,
--       3 for how many ms, 4 '1': also that nothing was held
-- Answer  0 not held by it, 1 released
--
-- Atomic because between the comparison and the removal it may come to be another's. It publishes
-- first: if it may not, nothing is done.
local before = KEYS[2] and redis.call('GET', KEYS[2])
local mine = redis.call('GET', KEYS[1]) == ARGV[1]
if mine then
    redis.call('PUBLISH', (ARGV[2] or 'hf:') .. 'free:' .. KEYS[1], '0')
    redis.call('DEL', KEYS[1])
end
if not KEYS[2] then return mine and 1 or 0 end
--#include remember_release.lua
return remember(KEYS[2], before, mine, ARGV[3], ARGV[4])
