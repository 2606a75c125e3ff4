#!lua flags=allow-oom
-- Who holds a lock as Redisson keeps it. See docs/layouts.md.
--
-- KEYS  1 the lock, 2 the token
-- Answer  {0, token, kind, 1, holders, {}}; a holder is {owner, PTTL, count, token}
--
-- Atomic so that owner, time and token are of one moment.
local call = redis.call
local all, token = call('HGETALL', KEYS[1]), call('GET', KEYS[2]) or '0'
if #all == 0 then return {0, token, '', 1, {}, {}} end
local left, holders = call('PTTL', KEYS[1]), {}
for i = 1, #all, 2 do
    if all[i] ~= 'mode' then holders[#holders + 1] = {all[i], left, all[i + 1], token} end
end
return {0, token, 'm', 1, holders, {}}
