-- Whether a slot is being moved. No script by itself: only the cluster variants include it. Their
-- last argument is TAG, for which see fields.lua.
--
-- While a slot is being moved, its keys are moved one by one. Its old node refuses each key that is
-- not there, also in the middle of a script; its new node would make a second one. So only the
-- record, which is declared and hence is where the script runs, is used then. All that needs other
-- keys is refused before anything is written. The new node is known by TAG; the old one refuses the
-- key below, which never exists.
local function is_moving(key)
    return ASKED or type(redis.pcall('EXISTS', key .. ':0')) == 'table'
end
