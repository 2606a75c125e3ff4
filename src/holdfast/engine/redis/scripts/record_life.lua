-- Writes the record `rec` of a grant that may not keep the expiry it has. No script by itself:
-- `key`, `rec`, `lease`, `token` and `now` are those of the grant. The record outlives its lease,
-- and its token if that is ahead of the clock.
local life = IDLE_MS
if lease > SHORT_LEASE then life = lease + MEMORY_MS end
if token > now then life = string.format('%d', life + (token - now) / 1000) end
call('SET', key, rec, 'PX', life)
