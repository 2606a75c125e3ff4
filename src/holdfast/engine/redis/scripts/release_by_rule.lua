-- Gives up a hold by the general rule. No script by itself: `now` is the time.

-- The hold is lost, and with it perhaps the whole record. The token of an exclusive holder is the
-- highest one of its record: it stays. Where there is no record, the mark stands in for it.
local function remember_token(S, token)
    --#grace if S.grace and S.hold and token > S.high then remove(S, S.hold) end -- of before
    if token <= S.high or token > now + PROPOSAL_US or S.hold then return end
    local mark = S.high == 0 and call('GET', string.match(S.key, '^[^{]*') .. MARK_NAME)
    S.high, S.changed = math.max(token, tonumber(mark or 0) or 0), true
end

-- `token` is that of the hold; 0: not known. The caller saves the state.
local function release_by_rule(S, owner, token)
    drop_ended(S)
    local held = find(S, owner)
    local answer = RELEASE_NOT_HELD
    if held and held.deadline > now then
        local rests = held.rest > now
        if rests then
            held.deadline = 0
            put(S, held)
        else
            remove(S, held)
        end
        answer = grant_heads(S) > 0 and not rests and RELEASE_HANDED_OFF or RELEASE_DONE
        if answer == RELEASE_DONE and not rests then tell_listeners(S) end
        remember(S, owner, answer == RELEASE_HANDED_OFF and 'h' or 'r')
    else
        grant_heads(S)
        if held and held.deadline == 0 then answer = RELEASE_DONE end
        if sub(S.last, 1, 48) == owner then
            local outcome = sub(S.last, 49)
            answer = outcome == 'h' and RELEASE_HANDED_OFF or outcome == 'r' and RELEASE_DONE
                or answer
        end
        if answer == RELEASE_NOT_HELD then remember_token(S, token) end
        --#grace if S.grace then remember(S, owner, 'r') end -- no late renewal makes it again
    end
    return answer
end
