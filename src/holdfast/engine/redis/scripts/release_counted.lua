-- Gives up the hold of the only reader, or of the only one who has permits, while nobody waits: the
-- record becomes idle. No script by itself: `rec`, `owner` and `now` are as in release.lua.
-- Whatever is unusual is left to the rule, which comes next: goes on then, and has written nothing.
local call, sub, key = redis.call, string.sub, KEYS[1]
local entry = now >= sub(rec, REC_SEEN) + 0 and call('HGET', key .. ':h', owner)
if entry and sub(entry, 1, 1) == '+' and sub(entry, HOLD_REST) == NO_INSTANT
        and sub(entry, HOLD_DEADLINE) - now > 0 then
    local permits = sub(entry, HOLD_MODE) == MODE_PERMITS and sub(entry, HOLD_PERMITS) or '00001'
    local high = sub(rec, REC_TOKEN) + 0
    if permits == sub(rec, REC_TAKEN) and high <= now then
        call('SET', key,
             'hf2i' .. sub(rec, REC_TOKEN) .. NO_INSTANT .. '00000000' .. NO_ORDER
                 .. NO_INCARNATION .. owner .. 'r' .. NO_INSTANT .. NO_INSTANT .. owner,
             'PX', IDLE_MS)
        call('DEL', key .. ':h', key .. ':d') -- without their record they count for nothing
        return RELEASE_DONE
    end
end
