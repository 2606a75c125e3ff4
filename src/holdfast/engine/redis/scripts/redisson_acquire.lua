#!lua
-- Asks for a lock as Redisson keeps it: a hash of owner and count. See docs/layouts.md. The field
-- `mode` is for Redisson's read-write lock, which takes a hash without one as free.
--
-- KEYS  1 the lock, 2 the latch of its release; with fencing also 3 the token
-- ARGV  1 the owner, 2 lease ms, 3 not-after, server time in us
-- Answer  the token, 0 without fencing, or {1, PTTL} held by another, {3, now} too late, or after
--       its own release
--
-- Atomic because finding it free and taking it must be one step. The count is written and not
-- added to: a request that was sent again must not count twice. Re-entry is counted by the client.
local call = redis.call
local mine = call('HEXISTS', KEYS[1], ARGV[1]) == 1
if not mine then
    if call('EXISTS', KEYS[1]) == 1 then return {ANSWER_HELD, call('PTTL', KEYS[1])} end
    local time = call('TIME')
    local now = time[1] * 1000000 + time[2]
    if now > tonumber(ARGV[3]) or call('EXISTS', KEYS[2]) == 1 then return {ANSWER_LATE, now} end
end
local token = 0
if KEYS[3] then
    token = mine and tonumber(call('GET', KEYS[3])) or redis.pcall('INCR', KEYS[3])
    if type(token) == 'table' then
        return {err = 'HFFOREIGN the key of its tokens holds something else'}
    end
end
if mine then
    -- This request was sent before. Whoever asks may count a whole lease from now on. It only ever
    -- raises the time to live (GT): this may be the older request, and come late.
    call('PEXPIRE', KEYS[1], ARGV[2], 'GT')
else
    call('HSET', KEYS[1], ARGV[1], '1', 'mode', 'hf')
    call('PEXPIRE', KEYS[1], ARGV[2])
end
return token
