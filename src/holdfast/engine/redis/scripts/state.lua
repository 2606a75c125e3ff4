-- The state of one name and the admission rule, for the scripts' slow paths. No script by itself.
local call, format, sub = redis.call, string.format, string.sub

local function foreign(what)
    return {err = 'HFFOREIGN ' .. what}
end

--#include token.lua
--#include record.lua
--#include rights.lua
--#include holders.lua
--#include queue.lua
