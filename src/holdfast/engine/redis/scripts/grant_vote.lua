-- Votes for a proposed token, for a name that nobody holds or waits for. No script by itself:
-- `key`, `ask` and `rec` are as in acquire.lua. As short as grant_free.lua: a quorum asks every
-- node. See there for the life of the record; here it is kept as it is if the token before was of
-- this window and this one is not ahead of the clock.
local left = sub(ask, ASK_NOT_AFTER) - now
if left < 0 or left > LONGEST_NOT_AFTER_US then return {ANSWER_LATE, now} end
local last, high, proposed = NO_OWNER, 0, ARGV[2] + 0
if rec then
    last = sub(rec, REC_OWNER)
    if last == sub(ask, ASK_OWNER) then return {ANSWER_ENDED, 0} end -- comes after its own release
    high = sub(rec, REC_TOKEN) + 0
end
--#include vote.lua
local no = ARGV[4] and reject_node(key, now, ARGV[4]) or reject_proposal(now, high, proposed)
if no then return no end
local lease, token = sub(ask, ASK_LEASE), proposed
rec = string.format('hf2x%016d%016d', token, now + lease * 1000) .. lease .. NO_ORDER
    .. NO_INCARNATION .. last .. 'r' .. ask
if token <= now and high < now and now - high < now % WINDOW_US and lease <= SHORT_LEASE then
    call('SET', key, rec, 'KEEPTTL')
else
    --#include record_life.lua
end
return token
