-- What scripts need in a cluster. No script by itself: only the cluster variants include it, and
-- their last argument is that of `use_mark`.
--
-- The keys of a name are in one slot. The mark must be there, too: each slot has its own,
-- <prefix>mark:{tag}, whose tag is digits that hash to the slot.
--
-- While a slot is being moved, its keys are moved one by one. Its old node refuses each key that is
-- not there, also in the middle of a script; its new node would make a second one. So only the
-- record, which is declared and hence is where the script runs, is used then. All that needs other
-- keys is refused before anything is written. `argument` is the tag; with ! in front of it this is
-- the new node.
local MARK_ARGUMENT, MARK, ASKED
local function use_mark(argument)
    MARK_ARGUMENT, ASKED = argument, string.sub(argument, 1, 1) == '!'
    MARK = 'mark:{' .. (ASKED and string.sub(argument, 2) or argument) .. '}'
end

local TRY_AGAIN = {err = 'TRYAGAIN the slot of the lock is being moved to another node'}

-- The old node refuses this key, which never exists.
local function is_moving(key)
    return ASKED or type(redis.pcall('EXISTS', key .. ':0')) == 'table'
end
