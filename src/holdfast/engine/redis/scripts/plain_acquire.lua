#!lua
-- Asks for a plain lock where SET NX alone will not do: with fencing, for a waiter, or to find out
-- whether the value that is there is one's own. See docs/layouts.md.
--
-- KEYS  1 the lock; with fencing also 2 where its release is remembered, 3 the highest token and,
--       after a space, who got it
-- ARGV  1 the value, 2 lease ms, 3 not-after, server time in us
-- Answer  the token, 0 without fencing, or {1, PTTL} held by another, {3, now} too late, or after
--       its own release, {7} tokens are used up
--
-- Atomic because token and lock must be one step: a holder that was paused between them would get a
-- token above that of the holder after it.
local call = redis.call
local held = call('GET', KEYS[1])
if held and held ~= ARGV[1] then return {ANSWER_HELD, call('PTTL', KEYS[1])} end
local time = call('TIME')
local now = time[1] * 1000000 + time[2]
if not held and (now > tonumber(ARGV[3]) or (KEYS[2] and call('GET', KEYS[2]))) then
    return {ANSWER_LATE, now}
end

local token = 0
if KEYS[3] then
    local high, whose = string.match(call('GET', KEYS[3]) or '0 ', '^(%d+) (.*)$')
    if not high then return {err = 'HFFOREIGN the key of its tokens holds something else'} end
    token = tonumber(high)
    if not held or whose ~= ARGV[1] then
        token = math.max(token + 1, now)
        if token >= TOKEN_END then return {ANSWER_NO_TOKENS} end
        call('SET', KEYS[3], string.format('%.0f ', token) .. ARGV[1], 'PX', '172800000')
    end
end
if held then
    -- One's own: this request was sent before. Whoever asks may count a whole lease from now on. It
    -- only ever raises the time to live (GT): this may be the older request, and come late.
    call('PEXPIRE', KEYS[1], ARGV[2], 'GT')
else
    call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
end
return token
