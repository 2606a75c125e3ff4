#!lua flags=allow-oom
-- Who holds a lock as Redisson keeps it. See docs/layouts.md.
--
-- KEYS  1 the lock, 2 the token
-- Answer  {0, token, kind, limit, holders, {}}; a holder is {owner, PTTL, count, token, mode}
--
-- Atomic so that owner, time and token are of one moment. Of a read-write lock it leaves out
-- readers whose leases have ended: their fields stay while others read.
--#include redisson_tag.lua
--#include redisson_rw_keys.lua
--#include redisson_permits.lua
--#include redisson_permit_holders.lua
local call = redis.call
if is_semaphore(KEYS[1]) then return report_permits(KEYS[1]) end
local all, token = call('HGETALL', KEYS[1]), call('GET', KEYS[2]) or '0'
if #all == 0 then return {0, token, '', 1, {}, {}} end
local mode, left, holders = call('HGET', KEYS[1], 'mode'), call('PTTL', KEYS[1]), {}
local halves = mode == 'read' or mode == 'write'
for i = 1, #all, 2 do
    local owner, writes = string.gsub(all[i], ':write$', '')
    if all[i] == 'mode' then
        -- nobody
    elseif halves and writes == 0 then
        local rest = reader_left(KEYS[1], owner, all[i + 1])
        if rest > 0 then
            holders[#holders + 1] = {owner, rest, all[i + 1], token, MODE_SHARED}
        end
    else
        holders[#holders + 1] = {owner, left, all[i + 1], token, MODE_EXCLUSIVE}
    end
end
return {0, token, halves and KIND_SHARED_MUTEX or KIND_MUTEX, 1, holders, {}}
