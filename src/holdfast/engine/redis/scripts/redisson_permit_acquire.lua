#!lua
-- Asks for permits of a semaphore as Redisson keeps it. See docs/layouts.md.
--
-- KEYS  1 the semaphore, 2 the latch of its release
-- ARGV  1 the owner, 2 lease ms, 3 not-after, server time in us, 4 how many permits, 5 how many the
--       semaphore has if it does not exist yet, 6 the command that publishes
-- Answer  0, or {1, ms until the first permit ends} too few are free, {3, now} too late, or after
--       its own release, {13, how many} a new one does not have so many
--
-- Atomic because finding permits free and taking them must be one step. First it takes back permits
-- whose leases have ended, as Redisson does, but by the server's clock.
--#include redisson_tag.lua
--#include redisson_permits.lua
local call = redis.call
local key, all, wanted = KEYS[1], permits_key(KEYS[1]), tonumber(ARGV[4])
local time = call('TIME')
local now = time[1] * 1000000 + time[2]
local ms = math.floor(now / 1000)
local held, lives = permits_of(key, ARGV[1], ms)
if lives then -- This request was sent before.
    write_permits(key, ARGV[1], held, ms + tonumber(ARGV[2]))
    return 0
end
local free = call('GET', key)
if free and not tonumber(free) then return {err = 'HFFOREIGN its key holds something else'} end
local ended = call('ZRANGEBYSCORE', all, '-inf', string.format('%.0f', ms))
if free and #ended > 0 then
    free = tonumber(free) + #ended
    if free > 0 then call(ARGV[6], 'redisson_sc:' .. tag_of(key), string.format('%.0f', free)) end
end
-- Before they count as free: a user who may not remove them must not free them again and again.
for _, permit in ipairs(ended) do call('ZREM', all, permit) end
if free and #ended > 0 then call('INCRBY', key, #ended) end
if free and tonumber(free) < wanted then
    local first = call('ZRANGE', all, 0, 0, 'WITHSCORES')
    return {ANSWER_HELD, first[2] and math.max(tonumber(first[2]) - ms, 0) or -1}
end
-- Nobody knows how many an existing one has: the set lacks those of Redisson's usual semaphore.
if not free and tonumber(ARGV[5]) < wanted then return {ANSWER_TOO_FEW, tonumber(ARGV[5])} end
if now > tonumber(ARGV[3]) or call('EXISTS', KEYS[2]) == 1 then return {ANSWER_LATE, now} end
if not free then
    local rest = tonumber(ARGV[5]) - wanted
    if rest > 0 then call(ARGV[6], 'redisson_sc:' .. tag_of(key), string.format('%.0f', rest)) end
    call('SET', key, ARGV[5])
end
call('DECRBY', key, wanted)
write_permits(key, ARGV[1], wanted, ms + tonumber(ARGV[2]))
local left = call('PTTL', key)
if left > 0 then call('PEXPIRE', all, left) end
return 0
