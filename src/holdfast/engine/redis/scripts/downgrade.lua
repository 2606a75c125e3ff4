#!lua
-- Turns the exclusive hold of a shared_mutex into a shared one, and grants readers that wait. See
-- fields.lua.
--#variant grace
--#variant cluster
--
-- KEYS  the record
-- ARGV  1 the owner
-- Answer  0 not held, 1 done, {ANSWER_OTHER_KIND, kind} it is no hold of a shared_mutex
--
--#grace -- Also  {11, now} verify the incarnation first, {12, us left} it is not known who holds it
-- Atomic because between the writer and its readers no other writer may slip in. Sent again it
-- changes nothing. Without flags: it needs memory for the keys of the holders.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
--#grace --#include grace.lua
--#cluster local TAG = table.remove(ARGV)
--#cluster --#include cluster.lua
--#include state.lua

local S, wrong = load(KEYS[1], now)
if not S then return wrong end
--#grace local grace = grace_left(call('GET', S.key), S.key, now)
--#grace if not grace then return {ANSWER_STALE, now} end
--#grace if grace > 0 then return {ANSWER_GRACE, grace} end
--#grace note_grace(S, 0)
drop_ended(S)
local held = find(S, ARGV[1])
local answer = RELEASE_NOT_HELD
if held and held.deadline > now then
    if S.kind ~= KIND_SHARED_MUTEX then return {ANSWER_OTHER_KIND, S.kind} end
    answer = RELEASE_DONE
    if S.hold then
        wrong = prepare_to_count(S)
        if wrong then return wrong end
        held.terms = sub(held.terms, TERMS_KIND) .. MODE_SHARED .. sub(held.terms, TERMS_AFTER_MODE)
        S.hold, S.taken, S.limit = nil, 1, 1
        put(S, held)
    end
end
if grant_heads(S) == 0 and answer == RELEASE_DONE then tell_listeners(S) end
save(S)
return answer
