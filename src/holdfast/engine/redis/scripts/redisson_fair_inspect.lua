#!lua flags=allow-oom
-- Who holds Redisson's fair lock, and who waits for it. See docs/layouts.md.
--
-- KEYS  1 the lock, 2 the token, which a fair lock does not have
-- Answer  {0, 0, kind, 1, holders, waiters}; a holder is {owner, PTTL, count, 0, mode}, a waiter
--       {owner, ms until it is not waited for any more}
--
-- Atomic so that all is of one moment.
--#include redisson_fair_queue.lua
local call = redis.call
local now, all, left = server_ms(), call('HGETALL', KEYS[1]), call('PTTL', KEYS[1])
local holders, waiters = {}, {}
for i = 1, #all, 2 do
    if all[i] ~= 'mode' then
        holders[#holders + 1] = {all[i], left, all[i + 1], '0', MODE_EXCLUSIVE}
    end
end
for _, owner in ipairs(call('LRANGE', queue, 0, -1)) do
    local ends = tonumber(call('ZSCORE', timeouts, owner) or now)
    if ends > now then waiters[#waiters + 1] = {owner, ends - now} end
end
return {0, '0', KIND_MUTEX, 1, holders, waiters}
