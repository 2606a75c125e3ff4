-- Grants a name that nobody holds or waits for. No script by itself: `key` and `ask` are as in
-- acquire.lua, `last` is who released it last, `high` the highest token so far, 0 if none is known.
-- Goes on if there is no token.
local lease = sub(ask, ASK_LEASE)
local token, keep = now, high < now and now - high < now % WINDOW_US and lease <= SHORT_LEASE
if not keep then
    --#include mark.lua
end
if token then
    local rec = string.format('hf2x%016d%016d', token, now + lease * 1000) .. lease .. NO_ORDER
        .. NO_INCARNATION .. last .. 'r' .. ask
    if keep then
        call('SET', key, rec, 'KEEPTTL')
    else
        --#include record_life.lua
    end
    return token
end
