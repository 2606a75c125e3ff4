-- Whether a holder may make its hold again within the grace period. No script by itself.
--
-- Its client holds a valid lease, so whatever the record has that excludes it is older: a hold that
-- ended, and whose end this server has lost. What has a lower token gives way. Those that can hold
-- it together are made again one by one; the record stays uncertain until the grace period is over.

-- Whether the request was sent by a client whose lease was valid and may still be.
local function is_in_time(S, item)
    if sub(item, ITEM_RECLAIMS) ~= 'r' then return false end
    local left = sub(item, ITEM_NOT_AFTER) - S.now
    return left >= 0 and left <= LONGEST_NOT_AFTER_US
end

-- Whether it would be made again if it had not come too late: its holder must ask again.
local function is_reclaimed_late(S, item)
    return sub(item, ITEM_RECLAIMS) == 'r' and not is_in_time(S, item)
end

-- All that the record knows of holders is from before.
local function drop_holders(S)
    if S.hold then remove(S, S.hold) end
    if S.taken > 0 then
        call('DEL', S.h, S.d)
        S.taken, S.changed = 0, true
    end
end

local function may_reclaim_in_grace(S, owner, token, not_after, terms)
    local mode = sub(terms, TERMS_MODE)
    if token > S.now + PROPOSAL_US or token >= TOKEN_END then return false end
    if sub(S.last, 1, 48) == owner or is_broken(S, owner) then return false end
    if comes_too_late(S, owner, not_after) then return false end -- after its own withdrawal
    if mode == MODE_PERMITS then
        if S.hold then drop_holders(S) end
        -- Who holds permits has got them by some limit, which may have been changed or lost since;
        -- and what the record has beside them may have ended. Nothing new is granted meanwhile.
        if S.taken == 0 then
            S.limit = known_limit(S) or tonumber(sub(terms, TERMS_LIMIT))
            return true
        end
        return sub(terms, TERMS_KIND) == S.kind
    end
    if token < S.high then return false end
    if token > S.high then
        drop_holders(S)
        return true
    end
    if mode == MODE_EXCLUSIVE then
        local mine = S.hold and S.hold.owner == owner and S.hold.deadline > 0
        if mine then drop_holders(S) end
        return mine or S.expired == owner and S.taken == 0
    end
    if S.hold then drop_holders(S) end -- a writer that readers came after
    return S.taken == 0 or sub(terms, TERMS_KIND) == S.kind
end
