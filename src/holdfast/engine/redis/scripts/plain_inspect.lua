#!lua flags=allow-oom
-- Who holds a plain lock. See docs/layouts.md.
--
-- KEYS  1 the lock, 2 the highest token and who got it
-- Answer  {0, highest token, kind, 1, holders, {}}; a holder is {value, PTTL, 1, its token or 0}
--
-- Atomic so that value, time and token are of one moment.
local call = redis.call
local held = call('GET', KEYS[1])
local token, whose = string.match(call('GET', KEYS[2]) or '', '^(%d+) (.*)$')
if not held then return {0, token or '0', '', 1, {}, {}} end
local its = whose == held and token or '0' -- others have none
return {0, token or '0', 'm', 1, {{held, call('PTTL', KEYS[1]), 1, its}}, {}}
