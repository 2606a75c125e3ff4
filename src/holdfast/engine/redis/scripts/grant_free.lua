-- Grants a name that nobody holds or waits for. No script by itself: `key` and `ask` are as in
-- acquire.lua, `last` is who released it last, `high` the highest token so far. Goes on if there is
-- no token.
local token = now
if high >= now then token = high + 1 end
if token < 9007199254740992 then
    local rec = string.format('hf1x%016d%016d', token, now + sub(ask, 94, 101) * 1000) .. last
        .. 'r' .. ask
    -- See MEMORY_MS.
    if high < now and now - high < now % 3600000000 then
        call('SET', key, rec, 'KEEPTTL')
    else
        call('SET', key, rec, 'PX', '176400000')
    end
    return token
end
