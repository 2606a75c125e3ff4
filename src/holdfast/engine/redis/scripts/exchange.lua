#!lua
-- Gives up one hold and asks for another, which may be of the same name: release.lua, and then
-- acquire.lua.
--#variant cluster
--
-- KEYS  1 the record of the one, 2 of the other
-- ARGV  1 as for release.lua, 2 and perhaps 3 to 5 as for acquire.lua, 6 perhaps as the second for
--       release.lua
-- Answer  as of acquire.lua, if the hold was released and not handed off; -(1000000 + n) if it was
--       handed off and acquire.lua says -n, which is as short as that has to be; else {9, answer of
--       release.lua, answer of acquire.lua}
--
-- One script for both, because one call costs the server less than two, and the record of a name
-- that is taken again at once need be written only once (docs/decisions/0014). It need not be
-- atomic. Without flags, as acquire.lua: whoever sent it sends both by themselves if it fails.
--#cluster local TAG = table.remove(ARGV)
local call, sub = redis.call, string.sub
local rec = call('GET', KEYS[1])
local released

-- The usual case: nobody else has to do with either of them.
if not ARGV[3] and rec and sub(rec, REC_REST_OWNER) == ARGV[1]
        and sub(rec, REC_VERSION_TAG) == 'hf2x' and sub(rec, REC_LEASE) <= SHORT_LEASE then
    local time = call('TIME')
    local now = time[1] * 1000000 + time[2]
    local key, ask = KEYS[2], ARGV[2]
    if key ~= KEYS[1] then
        call('SETRANGE', KEYS[1], REC_TAG_AT, 'i')
        released = RELEASE_DONE
        rec = call('GET', key)
    end
    if not released or not rec or sub(rec, REC_VERSION_TAG) == 'hf2i' then
        local last, high, left = NO_OWNER, 0, sub(ask, ASK_NOT_AFTER) - now
        if rec then
            last, high = sub(rec, REC_OWNER), sub(rec, REC_TOKEN) + 0
        end
        if left >= 0 and left <= LONGEST_NOT_AFTER_US and last ~= sub(ask, ASK_OWNER) then
            --#include grant_free.lua
        end
    end
end

local function release(KEYS, ARGV)
    --#include release.lua
end

local function acquire(KEYS, ARGV)
    --#include acquire.lua
end

--#cluster ARGV[5], ARGV[6] = TAG, TAG -- the last of theirs
released = released or release(KEYS, {ARGV[1], ARGV[6]})
if type(released) == 'table' then return released end
local asked = acquire({KEYS[2]}, {ARGV[2], ARGV[3], ARGV[4], ARGV[5]})
if type(asked) == 'table' and asked.err then return asked end
if released == RELEASE_DONE then return asked end
if released == RELEASE_HANDED_OFF and type(asked) == 'number' and asked < 0 then --\
    return asked - HANDED_OFF_TOO end
return {ANSWER_BOTH, released, asked}
