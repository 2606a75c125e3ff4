-- What a user may do. No script by itself.
--
-- A script that is refused in the middle has done half of its work. So whatever its later steps
-- need is checked before its first write.

-- The prefix of the key is that of the inboxes: it has no brace in it.
local function inbox(S, owner)
    return sub(S.key, 1, string.find(S.key, '{', 1, true) - 1) .. 'inbox:' .. sub(owner, 1, 32)
end

-- Raises an error if this user may not run the command.
local function need_right(...)
    if not redis.acl_check_cmd(...) then
        error({err = 'NOPERM this user has no permissions to run ' .. select(1, ...)})
    end
end

-- Of one who is to be counted beside others: once it is in their keys the record must follow.
local function need_rights_to_count(S)
    need_right('SET', S.key, '')
    need_right('ZADD', S.d, '1', '')
    need_right('ZRANGE', S.d, '0', '0')
    need_right('PEXPIRE', S.d, '1')
end

-- Of a grant to a waiter: nobody may have been told of one that is not written down.
local function need_rights(S)
    need_rights_to_count(S)
    need_right('DEL', S.w)
    need_right('HSET', S.h, '', '')
    need_right('HDEL', S.w, '')
    need_right('ZREM', S.q, '')
    need_right('PTTL', S.t)
    need_right('PUBLISH', inbox(S, NO_OWNER), '')
    S.may = true
end
