-- Whether a slot is being moved. No script by itself: only the cluster variants include it. Their
-- last argument is TAG, for which see fields.lua.
--
-- While a slot is being moved, its keys are moved one by one. Its old node refuses each key that is
-- not there, also in the middle of a script; its new node would make a second one. So only the
-- record, which is declared and hence is where the script runs, is used then. All that needs other
-- keys is refused before anything is written. The new node is known by TAG; the old one refuses the
-- key below, which never exists. Any other error, such as a missing right, is the caller's to hear.
local function is_moving(key)
    if ASKED then return true end
    local found = redis.pcall('EXISTS', key .. ':0')
    if type(found) ~= 'table' then return false end
    if not string.find(found.err, 'non local key', 1, true) then error(found) end
    return true
end
