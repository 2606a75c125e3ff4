#!lua flags=allow-oom
-- Breaks a lock as Redisson keeps it, as its forceUnlock does. See docs/layouts.md.
--
-- KEYS  1 the lock, 2 the token
-- ARGV  1 only the holder with this token, or 0; 2 the channel, 3 the command that publishes, 4 the
--       beginning of all inboxes
-- Answer  0 nobody held it, 1 done
--
-- Atomic so that only the one loses it who held it when the break was asked for.
local call = redis.call
local owners = call('HKEYS', KEYS[1])
if #owners == 0 then return 0 end
if ARGV[1] ~= '0' and call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
--#include tell_broken.lua
call(ARGV[3], ARGV[2], '0')
for _, owner in ipairs(owners) do tell_broken(owner, ARGV[4]) end -- `mode` is nobody's
call('DEL', KEYS[1])
return 1
