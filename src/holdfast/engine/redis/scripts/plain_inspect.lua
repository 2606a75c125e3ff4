#!lua flags=allow-oom
-- Who holds a plain lock. See docs/layouts.md.
--
-- KEYS  1 the lock, 2 the highest token
-- Answer  {0, highest token, kind, 1, holders, {}}; a holder is {value, PTTL, 1}
--
-- Atomic so that value, time and token are of one moment.
local call = redis.call
local held = call('GET', KEYS[1])
local token = call('GET', KEYS[2]) or '0'
if not held then return {0, token, '', 1, {}, {}} end
return {0, token, 'm', 1, {{held, call('PTTL', KEYS[1]), 1}}, {}}
