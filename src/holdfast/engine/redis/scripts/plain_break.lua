#!lua flags=allow-oom
-- Breaks a plain lock: takes it away from its holder, whoever that is. See docs/layouts.md.
--
-- KEYS  1 the lock, 2 the highest token and who got it
-- ARGV  1 only the holder with this token, or 0; 2 the channel, 3 the command that publishes, 4 the
--       beginning of all inboxes
-- Answer  0 nobody held it, 1 done
--
-- Atomic so that only the one loses it who held it when the break was asked for.
local call = redis.call
local held = call('GET', KEYS[1])
if not held then return 0 end
if ARGV[1] ~= '0' and call('GET', KEYS[2]) ~= ARGV[1] .. ' ' .. held then return 0 end
--#include tell_broken.lua
call(ARGV[3], ARGV[2], '0')
tell_broken(held, ARGV[4])
call('DEL', KEYS[1])
return 1
