-- Remembers what became of a release: for one that is sent again, and for an acquire of the same
-- owner that arrives after it and must take nothing. `before` is what is remembered already. Says
-- what to answer: 0 nothing was held, 1 released. No script by itself.
local function remember(key, before, released, ms, also_of_nothing)
    if released or (not before and also_of_nothing == '1') then
        redis.call('SET', key, released and '1' or '0', 'PX', ms)
    elseif before then
        redis.call('PEXPIRE', key, ms, 'GT')
    end
    return (released or before == '1') and 1 or 0
end
