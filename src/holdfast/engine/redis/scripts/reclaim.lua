-- Makes a hold again that this server has lost, for its owner, who holds the lock by the votes of
-- other servers. Says whether it did. No script by itself.
--
-- Nobody may hold the name or wait for it, and no token above this one may have been granted: then
-- another has held it since. An exclusive hold whose token is the highest must be the one that had
-- it; readers share theirs. Permits are left out: their tokens do not follow one another.
--#grace --#include reclaim_in_grace.lua
local function may_reclaim(S, owner, token, not_after, terms)
    local mode = sub(terms, TERMS_MODE)
    if S.now > not_after or not_after > S.now + LONGEST_NOT_AFTER_US then return false end
    --#grace if S.grace then return may_reclaim_in_grace(S, owner, token, not_after, terms) end
    if token < S.high or token > S.now + PROPOSAL_US or token >= TOKEN_END then return false end
    if mode == MODE_EXCLUSIVE and token == S.high and S.expired ~= owner then return false end
    if sub(S.last, 1, 48) == owner or is_broken(S, owner) then return false end
    if comes_too_late(S, owner, not_after) then return false end -- after its own withdrawal
    if S.taken > 0 and sub(terms, TERMS_KIND) ~= S.kind then return false end
    return mode ~= MODE_PERMITS and not S.queue and fits(S, terms)
end

local function reclaim(S, owner, item)
    local token, terms = sub(item, ITEM_TOKEN) + 0, sub(item, ITEM_TERMS)
    if sub(item, ITEM_LEASE) + 0 == 0 then return false end
    if not may_reclaim(S, owner, token, sub(item, ITEM_NOT_AFTER) + 0, terms) then return false end
    if sub(terms, TERMS_MODE) ~= MODE_EXCLUSIVE then
        local wrong = prepare_to_count(S)
        if wrong then error(wrong) end
    end
    --#grace local high = S.high
    local hold = grant(S, owner, terms, sub(item, ITEM_LEASE), token, 0)
    --#grace S.high = math.max(S.high, high) -- permits have tokens in any order
    --#grace if S.hold then S.incarnation = ID end -- nobody else can hold it
    --#grace local rest = sub(terms, TERMS_MIN_HOLD) * 1000
    --#grace if rest > 0 then hold.rest = math.min(token, S.now) + rest end -- since its grant
    hold.order = sub(item, ITEM_ORDER)
    put(S, hold)
    return true
end
