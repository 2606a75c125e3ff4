-- Who waits for a name. No script by itself.

-- Before somebody is counted beside others: nil, or an error.
local function prepare_to_count(S)
    local h, d = call('TYPE', S.h).ok, call('TYPE', S.d).ok
    if (h ~= 'none' and h ~= 'hash') or (d ~= 'none' and d ~= 'zset') then
        return foreign('the keys of its holders hold something else')
    end
    if S.taken == 0 and (h ~= 'none' or d ~= 'none') then call('DEL', S.h, S.d) end
    need_rights_to_count(S)
end

-- Writes `alive_until` anew for all waiters for whom `change` gives another instant.
local function rewrite_waiters(S, change)
    local all = call('HGETALL', S.w)
    for i = 1, #all, 2 do
        if all[i] ~= '#' and all[i] ~= '!' then
            local alive = change(sub(all[i + 1], WAIT_ALIVE) + 0)
            if alive then
                call('HSET', S.w, all[i],
                     format('%016d', alive) .. sub(all[i + 1], WAIT_AFTER_ALIVE))
            end
        end
    end
end

-- After a stall of the server all waiters seem dead, though their reports have only not been read
-- yet. See QUEUE_MS. Only once: whoever has not reported since the last time ('!') is dead, or each
-- of many dead in turn would be handed the lock.
local function revive_after_stall(S)
    local left = S.queue and call('PTTL', S.w) or -2
    if left >= QUEUE_FRESH_MS or left == -2 then return end -- fresh, or nobody is left
    local again = S.now + REVIVED_US
    local before = tonumber(call('HGET', S.w, '!') or 0)
    if before > again then before = 0 end -- the clock was stepped back
    rewrite_waiters(S, function(alive) return alive < again and alive > before and again end)
    call('HSET', S.w, '!', format('%d', again))
    call('PEXPIRE', S.q, QUEUE_MS)
    call('PEXPIRE', S.w, QUEUE_MS)
end

-- The clock was stepped back: nobody can have reported so lately. A dead waiter would else be in
-- the way for as long as the step.
local function clamp_waiters(S)
    local latest = S.now + PATIENCE_US
    rewrite_waiters(S, function(alive) return alive > latest and latest end)
end

-- Grants whoever is first and fits. `asker` hears of it by the answer; the others by a push. If
-- nobody hears the push (0) its waiter is passed over, and keeps its place until it is heard of
-- again. Says how many were granted.
local function grant_heads(S, asker)
    local granted, skips = 0, 0
    --#grace if S.grace then return 0 end
    if not S.hold then revive_after_stall(S) end
    while S.queue and not S.hold do
        local first = call('ZRANGE', S.q, skips, skips + 1)
        local who = first[1]
        if not who then
            if skips == 0 then
                S.queue, S.changed = false, true
                call('DEL', S.w)
            end
            break
        end
        local entry = call('HGET', S.w, who)
        local alive = entry and sub(entry, WAIT_ALIVE) - S.now or 0
        if alive > PATIENCE_US then clamp_waiters(S) end
        local gone = alive <= 0
        if not gone then
            local terms = sub(entry, WAIT_TERMS)
            if not fits(S, terms) then break end
            if not S.may then need_rights(S) end
            local hint, token = sub(terms, TERMS_QUEUEING) == QUEUEING_HINT, nil
            local message = 'm' .. sub(who, 33)
            if not hint then
                token = token_for(S, terms)
                if not token then break end
                message = 'g' .. sub(who, 33) .. format('%016d', token)
            end
            if who ~= asker and call('PUBLISH', inbox(S, who), message) == 0 then
                skips = skips + 1
                if skips >= MOST_SKIPS then break end
            else
                gone = true
                if not hint then
                    local lease = sub(terms, TERMS_LEASE)
                    if lease > HAND_OFF_LEASE then lease = HAND_OFF_LEASE end
                    grant(S, who, terms, lease, token, 0)
                    granted = granted + 1
                    call('PEXPIRE', S.q, QUEUE_MS)
                    call('PEXPIRE', S.w, QUEUE_MS)
                end
            end
        end
        if gone then
            call('ZREM', S.q, who)
            call('HDEL', S.w, who)
            if skips == 0 and not first[2] then
                S.queue, S.changed = false, true
                call('DEL', S.w)
            end
        end
    end
    return granted
end

local function settle(S, asker)
    drop_ended(S)
    return grant_heads(S, asker)
end

-- For `queued`: how many are ahead, and in how many us a hold ends if it is not renewed (0: not
-- known). Only the first few are told: if all were, all would come at that moment.
local function place(S, owner, ahead)
    if ahead >= 4 then return {ANSWER_QUEUED, ahead, 0} end
    --#grace if S.grace then return {ANSWER_QUEUED, ahead, S.grace} end
    local ends = 0
    if S.hold then
        ends = math.max(S.hold.deadline, S.hold.rest)
    elseif S.taken > 0 then
        ends = tonumber(call('ZRANGE', S.d, 0, 0, 'WITHSCORES')[2] or 0)
    end
    return {ANSWER_QUEUED, ahead, math.max(ends - S.now, 0)}
end

-- Keeps a waiter in the queue, and says how many are ahead of it; false if it is not there.
local function touch(S, owner)
    local entry = S.queue and call('HGET', S.w, owner)
    local ahead = entry and call('ZRANK', S.q, owner)
    if not ahead then return false end
    revive_after_stall(S)
    call('HSET', S.w, owner, format('%016d', S.now + PATIENCE_US) .. sub(entry, WAIT_AFTER_ALIVE))
    call('PEXPIRE', S.q, QUEUE_MS)
    call('PEXPIRE', S.w, QUEUE_MS)
    return ahead
end

local function drop_dead_waiters(S)
    if not S.queue then return end
    revive_after_stall(S)
    local all, dead = call('HGETALL', S.w), 0
    for i = 1, #all, 2 do
        if all[i] ~= '#' and all[i] ~= '!' and tonumber(sub(all[i + 1], WAIT_ALIVE)) <= S.now then
            call('ZREM', S.q, all[i])
            call('HDEL', S.w, all[i])
            dead = dead + 1
        end
    end
    if dead > 0 and call('ZCARD', S.q) == 0 then
        call('DEL', S.w)
        S.queue, S.changed = false, true
    end
end

-- Keeps a listener: it has no place in the queue, and is told when the lock may be free. Of more
-- than MOST_LISTENERS the others are not told; they ask again by themselves.
local function listen(S, owner)
    local kind = call('TYPE', S.l).ok
    if kind ~= 'none' and kind ~= 'zset' then
        return foreign('the key of its listeners holds something else')
    end
    call('ZREMRANGEBYSCORE', S.l, '-inf', format('%d', S.now))
    if call('ZSCORE', S.l, owner) or call('ZCARD', S.l) < MOST_LISTENERS then
        call('ZADD', S.l, format('%d', S.now + PATIENCE_US), owner)
        call('PEXPIRE', S.l, LISTENERS_MS)
        if not S.listens then S.listens, S.changed = true, true end
    end
    return place(S, owner, 0)
end

-- A hold has ended and nobody was granted the lock: tells all listeners, each client once, with the
-- numbers of all that listen there. Readers that remain still exclude writers, but a permit more
-- may be what somebody waits for.
local function tell_listeners(S)
    if not S.listens or S.hold or S.taken > 0 and S.kind ~= KIND_SEMAPHORE then return end
    local messages, clients = {}, {}
    for _, owner in ipairs(call('ZRANGE', S.l, 0, -1)) do
        local to = inbox(S, owner)
        if not messages[to] then clients[#clients + 1] = to end
        messages[to] = (messages[to] or 'm') .. sub(owner, 33)
    end
    call('DEL', S.l)
    S.listens, S.changed = false, true
    for _, to in ipairs(clients) do call('PUBLISH', to, messages[to]) end
end
