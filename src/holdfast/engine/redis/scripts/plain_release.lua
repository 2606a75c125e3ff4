#!lua flags=allow-oom
-- Gives up a plain lock, and tells those of ours who wait for it. See docs/layouts.md.
--
-- KEYS  the lock
-- ARGV  1 the value, 2 the prefix of our channels, if it is not the usual one
-- Answer  0 not held by it, 1 released
--
-- Atomic because between the comparison and the removal it may come to be another's. It publishes
-- first: if it may not, nothing is done.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('PUBLISH', (ARGV[2] or 'hf:') .. 'free:' .. KEYS[1], '0')
redis.call('DEL', KEYS[1])
return 1
