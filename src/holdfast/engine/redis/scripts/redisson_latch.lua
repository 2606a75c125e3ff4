#!lua
-- Reads or changes a count-down latch as Redisson keeps it. See docs/layouts.md.
--
-- KEYS  1 the latch: a STRING, how many arrivals are missing; Redisson deletes it when it opens
--       2 ours: a HASH, b when we first used it, n the count, c 1 if we have set it; m and a member
--       that has arrived -> its weight. While it exists, a latch without a number is open
-- ARGV  1 action, 2 the count, 3 how long to keep it in ms, 4 not-after in us, 5 the channel, 6 the
--       command that publishes; CELL_ARRIVE: 7 member, 8 weight; CELL_ERASE: 7 the birth of the
--       latch that it means: 1 for one that only Java has used, 0 to ask for it
-- Answer  as of cell.lua
--
-- Atomic because finding that a member has not arrived and counting it must be one step. Whoever
-- uses the latch first sets its count, as trySetCount does. It publishes first: if it may not,
-- nothing is done; and it counts before it remembers, after it has checked that it may do both. Our
-- number must not go before the hash, or the latch would be open: only what Java has set has no
-- expiry.
local call = redis.call
local key, ours, action, publish = KEYS[1], KEYS[2], ARGV[1], ARGV[6]
local time = call('TIME')
local now, not_after = time[1] * 1000000 + time[2], tonumber(ARGV[4])
if now > not_after then return {ANSWER_LATE, now} end
local missing, expected = call('GET', key), tonumber(ARGV[2])
if missing and not tonumber(missing) then --\
    return {err = 'HFFOREIGN its key holds something else'} end
missing = tonumber(missing)
local known = tonumber(call('HGET', ours, 'n') or 0)
if action == CELL_ERASE then
    local found = tonumber(call('HGET', ours, 'b') or missing and 1 or 0)
    if tonumber(ARGV[7]) ~= found then -- it was done before, or it only asks
        return {CELL_FOUND, found, 0, 0, 0, expected, '', ARGV[7] ~= '0' and 1 or 0, 0}
    end
    call('DEL', key, ours)
    return {CELL_FOUND, 0, 0, 0, 0, expected, '', 1, 0}
end
if known > 0 and known ~= expected then return {ANSWER_OTHER_LIMIT, known} end

local function lacks_right_to(...)
    for _, write in ipairs({...}) do
        if not redis.acl_check_cmd(unpack(write)) then
            return {err = 'NOPERM this user has no permissions to run ' .. write[1]}
        end
    end
end

local function keep()
    call('PEXPIRE', ours, ARGV[3])
    -- A count that Java has set stays as long as Java wants.
    if missing and call('HGET', ours, 'c') == '1' then call('PEXPIRE', key, ARGV[3]) end
end

if known == 0 then
    local no = lacks_right_to({'SET', key, '1', 'PX', '1'}, {'HSET', ours, 'b', '1'},
                              {'PEXPIRE', ours, '1'}, {'PEXPIRE', key, '1'})
    if no then return no end
    -- A number of ours that the hash has not outlived is of an earlier latch.
    local set_here = missing == nil or call('PTTL', key) >= 0
    if set_here then
        call(publish, ARGV[5], '1')
        call('SET', key, expected, 'PX', ARGV[3])
        missing = expected
    end
    call('HSET', ours, 'b', string.format('%.0f', now), 'n', expected, 'c', set_here and '1' or '0')
    keep()
end

local applied = 0
if action == CELL_ARRIVE then
    applied = 1
    if missing and call('HEXISTS', ours, 'm' .. ARGV[7]) == 0 then
        local left = missing - tonumber(ARGV[8])
        local no = lacks_right_to({'HSET', ours, 'm', ''}, {'DEL', key}, {'DECRBY', key, '1'})
        if no then return no end
        if left <= 0 then
            call(publish, ARGV[5], '0')
            call('DEL', key)
            missing = nil
        else
            call('DECRBY', key, ARGV[8])
            missing = left
        end
        call('HSET', ours, 'm' .. ARGV[7], ARGV[8])
        keep()
    end
end
local birth = tonumber(call('HGET', ours, 'b') or 0)
-- Java may have set a higher count than ours.
local arrived = missing and math.max(expected - missing, 0) or expected
return {CELL_FOUND, birth, 0, missing and 0 or 1, arrived, expected, '', applied, 0}
