#!lua flags=allow-oom
-- Breaks a lock as Redisson keeps it, as its forceUnlock does. See docs/layouts.md.
--
-- KEYS  1 the lock, 2 the token
-- ARGV  1 only the holder with this token, or 0; 2 the channel of a mutex, 3 the command that
--       publishes, 4 the beginning of all inboxes
-- Answer  0 nobody held it, 1 done
--
-- Atomic so that only the one loses it who held it when the break was asked for. All permits of a
-- semaphore that are known come back; those of Redisson's usual one nobody knows.
--#include redisson_tag.lua
--#include redisson_rw_keys.lua
--#include redisson_permits.lua
local call = redis.call
local semaphore = is_semaphore(KEYS[1])
local all = semaphore and call('ZRANGE', permits_key(KEYS[1]), 0, -1) or call('HGETALL', KEYS[1])
if #all == 0 then return 0 end
if ARGV[1] ~= '0' and call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
--#include tell_broken.lua
if semaphore then
    local free = tonumber(call('GET', KEYS[1])) + #all
    call(ARGV[3], 'redisson_sc:' .. tag_of(KEYS[1]), string.format('%.0f', free))
    for _, permit in ipairs(all) do
        local owner, index = string.match(permit, '^(.*):(%d+)$')
        if index == '1' then tell_broken(owner, ARGV[4]) end
    end
    call('DEL', permits_key(KEYS[1])) -- first: else a user who may not would free them twice
    call('INCRBY', KEYS[1], #all)
    return 1
end
local mode = call('HGET', KEYS[1], 'mode')
if mode == 'read' or mode == 'write' then
    call(ARGV[3], 'redisson_rwlock:' .. tag_of(KEYS[1]), '1')
else
    call(ARGV[3], ARGV[2], '0')
end
for i = 1, #all, 2 do -- `mode` is nobody's
    tell_broken((string.gsub(all[i], ':write$', '')), ARGV[4])
    if mode == 'read' or mode == 'write' then
        for at = 1, tonumber(all[i + 1]) or 0 do call('DEL', reader_key(KEYS[1], all[i], at)) end
    end
end
call('DEL', KEYS[1])
return 1
