-- Grants a name that nobody holds or waits for to a reader, or to whoever asks for permits. No
-- script by itself: `key`, `ask`, `rec` and `now` are as in acquire.lua. Whatever is unusual is
-- left to the rule, which comes next: goes on then, and has written nothing.
--
-- The record is written last of what P1 depends on: a user whose rights do not suffice is refused
-- in the middle, and keys of holders count only by their record. They are deleted then, unless they
-- expire.
local kind, mode = sub(ask, ASK_KIND), sub(ask, ASK_MODE)
local left, high = sub(ask, ASK_NOT_AFTER) - now, rec and sub(rec, REC_TOKEN) + 0 or 0
local last = rec and sub(rec, REC_OWNER) or NO_OWNER
local permits = mode == MODE_PERMITS and sub(ask, ASK_PERMITS) + 0 or 1
local limit = mode == MODE_PERMITS and sub(ask, ASK_LIMIT) + 0 or 1
local h, d = key .. ':h', key .. ':d'
if mode ~= MODE_EXCLUSIVE and left >= 0 and left <= LONGEST_NOT_AFTER_US
        and last ~= sub(ask, ASK_OWNER) and permits <= limit and high < now
        and call('EXISTS', h, d, key .. ':r') == 0 then
    local token, lease = now, sub(ask, ASK_LEASE)
    if mode == MODE_SHARED and high > 0 then
        token = high -- see token_for() in holders.lua
    elseif now - high >= now % WINDOW_US then
        --#include mark.lua
    end
    if token then
        local who, ends = sub(ask, ASK_OWNER), now + lease * 1000
        local life = string.format('%d', math.max(lease + MEMORY_MS, IDLE_MS)
                                         + math.max(token - now, 0) / 1000)
        call('HSET', h, who,
             string.format('+%016d%s%016d%016d', ends, NO_INSTANT, now, token) .. lease
                 .. NO_ORDER .. sub(ask, ASK_TERMS))
        local done = redis.pcall('PEXPIRE', h, life)
        if type(done) ~= 'table' then
            done = redis.pcall('ZADD', d, string.format('%d', ends), who)
        end
        if type(done) ~= 'table' then done = redis.pcall('PEXPIRE', d, life) end
        if type(done) == 'table' then
            call('DEL', h, d)
            return done
        end
        call('SET', key,
             string.format('hf2m%016d', token) .. NO_INSTANT .. '00000000' .. NO_ORDER
                 .. NO_INCARNATION .. last .. (last == NO_OWNER and '-' or 'r') .. kind
                 .. string.format('%05d%05d%016d', limit, permits, now),
             'PX', life)
        return token
    end
end
