-- A lock's name as Redisson puts it into the names of its other keys and channels: in braces,
-- unless it has one. No script by itself.
local function tag_of(key)
    return string.find(key, '{', 1, true) and key or '{' .. key .. '}'
end
