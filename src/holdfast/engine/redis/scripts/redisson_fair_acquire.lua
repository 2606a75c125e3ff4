#!lua
-- Asks for Redisson's fair lock, and queues up for it. See docs/layouts.md.
--
-- KEYS  1 the lock, 2 the latch of its release
-- ARGV  1 the owner, 2 lease ms, 3 not-after, server time in us, 4 '1': waits in the queue
-- Answer  0, or {1, PTTL} held by another, or others are ahead, {3, now} too late, or after its own
--       release
--
-- Atomic because finding it free and taking it must be one step. Each request of a waiter says that
-- it still waits: its time in the queue is written anew, and its place stays.
--#include redisson_fair_queue.lua
local call = redis.call
if call('HEXISTS', KEYS[1], ARGV[1]) == 1 then -- This request was sent before.
    call('PEXPIRE', KEYS[1], ARGV[2], 'GT')
    return 0
end
local time = call('TIME')
local now = time[1] * 1000000 + time[2]
local ms = math.floor(now / 1000)
if now > tonumber(ARGV[3]) or call('EXISTS', KEYS[2]) == 1 then return {ANSWER_LATE, now} end
drop_silent(ms)
local head = call('LINDEX', queue, 0)
if call('EXISTS', KEYS[1]) == 0 and (not head or head == ARGV[1]) then
    leave_queue(ARGV[1])
    call('HSET', KEYS[1], ARGV[1], '1', 'mode', 'hf')
    call('PEXPIRE', KEYS[1], ARGV[2])
    return 0
end
if ARGV[4] == '1' then
    local at = call('LPOS', queue, ARGV[1])
    local ahead = at ~= 0 and call('LINDEX', queue, at and at - 1 or -1)
    local ends = ahead and tonumber(call('ZSCORE', timeouts, ahead) or ms) or ms
    if not at then call('RPUSH', queue, ARGV[1]) end
    call('ZADD', timeouts, string.format('%.0f', math.max(ends, ms) + patience), ARGV[1])
end
return {ANSWER_HELD, call('PTTL', KEYS[1])}
