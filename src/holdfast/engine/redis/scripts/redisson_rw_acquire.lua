#!lua
-- Asks for a half of a read-write lock as Redisson keeps it. See docs/layouts.md.
--
-- KEYS  1 the lock, 2 the latch of its release; with fencing also 3 the token, of writers
-- ARGV  1 the owner, 2 lease ms, 3 not-after, server time in us, 4 the half: r or w
-- Answer  the token, 0 without fencing and for readers, or {1, PTTL} held by another, {3, now} too
--       late, or after its own release
--
-- Atomic because finding it free and taking it must be one step. Counts are written and not added
-- to: a request that was sent again must not count twice. A hash without `mode` is Redisson's usual
-- lock, and not free.
--#include redisson_tag.lua
--#include redisson_rw_keys.lua
local call = redis.call
local reads = ARGV[4] == 'r'
local field = reads and ARGV[1] or ARGV[1] .. ':write'
local own = reader_key(KEYS[1], ARGV[1], 1)
local mode = call('HGET', KEYS[1], 'mode')
local joins = reads and mode == 'read' -- other readers
local mine = mode == (reads and 'read' or 'write') and call('HEXISTS', KEYS[1], field) == 1
-- While others read, the field of a reader whose lease has ended stays.
if mine and reads then mine = call('EXISTS', own) == 1 end
if not mine then
    if not joins and call('EXISTS', KEYS[1]) == 1 then
        return {ANSWER_HELD, call('PTTL', KEYS[1])}
    end
    local time = call('TIME')
    local now = time[1] * 1000000 + time[2]
    if now > tonumber(ARGV[3]) or call('EXISTS', KEYS[2]) == 1 then return {ANSWER_LATE, now} end
end
local token = 0
if KEYS[3] and not reads then
    token = mine and tonumber(call('GET', KEYS[3])) or redis.pcall('INCR', KEYS[3])
    if type(token) == 'table' then
        return {err = 'HFFOREIGN the key of its tokens holds something else'}
    end
end
if mine then
    -- This request was sent before. It only ever raises the times to live (GT): it may be the older
    -- request, and come late.
    if reads then call('PEXPIRE', own, ARGV[2], 'GT') end
    call('PEXPIRE', KEYS[1], ARGV[2], 'GT')
else
    if reads then call('SET', own, '1', 'PX', ARGV[2]) end
    call('HSET', KEYS[1], 'mode', reads and 'read' or 'write', field, '1')
    if joins then
        call('PEXPIRE', KEYS[1], ARGV[2], 'GT')
    else
        call('PEXPIRE', KEYS[1], ARGV[2])
    end
end
return token
