#!lua flags=allow-oom
-- Gives up a hold as Redisson keeps it, and wakes its waiters and ours. See docs/layouts.md.
--
-- KEYS  1 the lock; 2 the latch, which remembers it, if that is wanted
-- ARGV  1 the owner, 2 the channel of a mutex, 3 the command that publishes, 4 for how many ms it
--       is remembered, 5 '1': also that nothing was held
-- Answer  0 not held by it, 1 released
--
-- Atomic because between the comparison and the removal it may come to be another's. It publishes
-- first: if it may not, nothing is done. What the owner holds, the lock itself tells.
--#include redisson_tag.lua
--#include redisson_rw_keys.lua
--#include redisson_rw_release.lua
--#include redisson_permits.lua
--#include redisson_permit_release.lua
local call = redis.call
local before = KEYS[2] and call('GET', KEYS[2])
local mine, others, mode = false, false, nil
local semaphore = is_semaphore(KEYS[1])
local all = semaphore and {} or call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
    if all[i] == ARGV[1] then
        mine = true
    elseif all[i] == 'mode' then
        mode = all[i + 1]
    else
        others = true
    end
end
if semaphore then
    mine = release_permits(KEYS[1], ARGV[1], ARGV[3])
elseif mode == 'read' or mode == 'write' then
    mine = release_half(KEYS[1], mode, ARGV[1], ARGV[3])
elseif mine and others then -- not all of it is ours
    call('HDEL', KEYS[1], ARGV[1])
elseif mine then
    call(ARGV[3], ARGV[2], '0')
    call('DEL', KEYS[1])
end
if not KEYS[2] then return mine and 1 or 0 end
--#include remember_release.lua
return remember(KEYS[2], before, mine, ARGV[4], ARGV[5])
