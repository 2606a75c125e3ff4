#!lua flags=allow-oom
-- Gives up several holds, each as release.lua does, and hands each to its first waiter. See
-- fields.lua.
--#variant grace
--#variant cluster
--
-- KEYS  one record per hold
-- ARGV  per hold: NO_INSTANT and the owner, as of release.lua; then per hold its token, as there.
--       Absent: not needed
-- Answer  1 all are released; or per hold: 0 not held, 1 released, 2 handed off, or a string that
--       begins with - : an error, which is only this hold's
--
-- One script for several, because each alone would cost more to send than to do. Holds do not
-- change one another. Allowed when the server is out of memory: it frees.
--#grace --#include grace.lua
--#cluster local TAG = table.remove(ARGV)
local now, rule

local function by_the_rule()
    local time = redis.call('TIME')
    now = time[1] * 1000000 + time[2]
--#cluster --#include cluster.lua
--#include state.lua
--#include release_by_rule.lua
    return function(key, item, token)
        local S, wrong = load(key, now)
        if not S then return '-' .. wrong.err end
        -- Whoever cannot tell hands nothing off.
        --#grace note_grace(S, grace_left(call('GET', key), key, now) or 1)
        local answer = release_by_rule(S, sub(item, ITEM_OWNER), token)
        save(S)
        return answer
    end
end

local call, sub, count = redis.call, string.sub, #KEYS
local answers -- of the holds that are not just released; nil: there are none
for i = 1, count do
    local key, item = KEYS[i], ARGV[i]
    local rec = call('GET', key)
    -- Alone, with nobody waiting: as in release.lua.
    if rec and sub(rec, REC_VERSION_TAG) == 'hf2x' and sub(rec, REC_REST_OWNER) == item then
        call('SETRANGE', key, REC_TAG_AT, 'i')
        if sub(rec, REC_LEASE) > SHORT_LEASE then call('PEXPIRE', key, IDLE_MS) end
    else
        rule = rule or by_the_rule()
        local done, answer = pcall(rule, key, item, tonumber(ARGV[count + i] or 0))
        if not done then
            answer = '-' .. (type(answer) == 'table' and answer.err or tostring(answer))
        end
        answers = answers or {}
        answers[i] = answer
    end
end
if not answers then return RELEASE_DONE end
for i = 1, count do answers[i] = answers[i] or RELEASE_DONE end
return answers
