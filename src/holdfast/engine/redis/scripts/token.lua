-- The next token of a name. No script by itself.
--
-- `high` is the highest token that the name's record knows; 0: it knows none, because the name was
-- forgotten or never used. Then the mark stands in for it: no token that was ever granted on this
-- server is above the mark, so tokens of a name rise also when the clock was stepped back and the
-- record is gone. It is raised to the end of the present window, so that it is seldom written;
-- within the window in which a record's last token was granted nobody needs to look at it.
--
-- No mark: the server lost its data, or is new. All clients are told, and look after their holds.
-- Nil: tokens are used up.
local function new_token(key, now, high)
    local prefix = string.match(key, '^[^{]*')
    local text = redis.call('GET', prefix .. MARK_NAME)
    --#cluster if not text and ASKED then error(TRY_AGAIN) end -- it is where the slot comes from
    local mark = tonumber(text or 0)
    if not mark then
        error({err = 'HFFOREIGN the key ' .. prefix .. 'mark holds something else'})
    end
    local token = math.max(now, (high > 0 and high or mark) + 1)
    if token >= TOKEN_END then return nil end
    local needed = math.max(token, now - now % WINDOW_US + WINDOW_US)
    if mark < needed then
        redis.call('SET', prefix .. MARK_NAME, string.format('%016d', needed))
        if not text then redis.call('PUBLISH', prefix .. 'inbox:all', 'r') end --#not_cluster
    end
    return token
end
