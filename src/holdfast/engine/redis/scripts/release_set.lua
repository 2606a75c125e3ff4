#!lua flags=allow-oom
-- Gives up several holds, each as release.lua does, and hands each to its first waiter. See
-- fields.lua.
--#variant grace
--#variant cluster
--
-- KEYS  one record per hold
-- ARGV  per hold: NO_INSTANT and the owner, as of release.lua, and then the token of the hold;
--       0: the server need not know it
-- Answer  per hold: 0 not held, 1 released, 2 handed off, or a string that begins with - : an
--       error, which is only this hold's
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
    return function(key, item)
        local S, wrong = load(key, now)
        if not S then return '-' .. wrong.err end
        -- Whoever cannot tell hands nothing off.
        --#grace note_grace(S, grace_left(call('GET', key), key, now) or 1)
        local answer = release_by_rule(S, sub(item, ITEM_OWNER), tonumber(sub(item, ITEM_REST_OF)))
        save(S)
        return answer
    end
end

local answers = {}
for i = 1, #KEYS do
    local key, item = KEYS[i], ARGV[i]
    local rec = redis.call('GET', key)
    -- Alone, with nobody waiting: as in release.lua.
    if rec and string.sub(rec, REC_VERSION_TAG) == 'hf2x'
            and string.sub(rec, REC_REST_OWNER) == string.sub(item, ITEM_REST_OWNER) then
        redis.call('SETRANGE', key, REC_TAG_AT, 'i')
        if string.sub(rec, REC_LEASE) > SHORT_LEASE then redis.call('PEXPIRE', key, IDLE_MS) end
        answers[i] = RELEASE_DONE
    else
        rule = rule or by_the_rule()
        local done, answer = pcall(rule, key, item)
        if not done then
            answer = '-' .. (type(answer) == 'table' and answer.err or tostring(answer))
        end
        answers[i] = answer
    end
end
return answers
