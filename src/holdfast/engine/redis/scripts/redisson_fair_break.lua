#!lua flags=allow-oom
-- Breaks Redisson's fair lock, as its forceUnlock does, and wakes the next in the queue. See
-- docs/layouts.md.
--
-- KEYS  1 the lock, 2 the token, which a fair lock does not have
-- ARGV  1 only the holder with this token, or 0; 2 the channel, to which an owner is added, 3 the
--       command that publishes, 4 the beginning of all inboxes
-- Answer  0 nobody held it, 1 done
--
-- Atomic so that only the one loses it who held it when the break was asked for.
--#include redisson_fair_queue.lua
local call = redis.call
local owners = call('HKEYS', KEYS[1])
if #owners == 0 or ARGV[1] ~= '0' then return 0 end
--#include tell_broken.lua
drop_silent(server_ms())
local head = call('LINDEX', queue, 0)
if head then call(ARGV[3], ARGV[2] .. ':' .. head, '0') end
for _, owner in ipairs(owners) do tell_broken(owner, ARGV[4]) end -- `mode` is nobody's
call('DEL', KEYS[1])
return 1
