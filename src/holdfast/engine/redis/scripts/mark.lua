-- The token of a grant that has to look at the mark; see token.lua. No script by itself: `token` is
-- the clock, and becomes the token, or nil. The usual case: the clock goes on, and others have
-- raised the mark to the end of this window.
local mark = call('GET', string.match(key, '^[^{]*') .. MARK_NAME) --#not_cluster
--#cluster local mark = redis.pcall('GET', string.match(key, '^[^{]*') .. MARK_NAME)
--#cluster if type(mark) == 'table' then -- an error; this one: it has moved already
--#cluster     return string.find(mark.err, 'non local key', 1, true) and TRY_AGAIN or mark
--#cluster end
if not mark or high == 0 or high >= now
        or not tonumber(mark) or mark - now < WINDOW_US - now % WINDOW_US then
    --#include token.lua
    token = new_token(key, now, high)
end
