-- Who holds a name. No script by itself.

local function permits_of(terms)
    return sub(terms, TERMS_MODE) == MODE_PERMITS and tonumber(sub(terms, TERMS_PERMITS)) or 1
end

-- A holder other than an exclusive one, from its entry. Entries of hf1 have no '+'.
local function member(owner, entry)
    if sub(entry, 1, 1) ~= '+' then
        return {owner = owner, deadline = sub(entry, 1, 16) + 0, rest = sub(entry, 17, 32) + 0,
                since = sub(entry, 33, 48) + 0, token = sub(entry, 49, 64) + 0,
                order = NO_ORDER, terms = sub(entry, 65)}
    end
    return {owner = owner, deadline = sub(entry, HOLD_DEADLINE) + 0,
            rest = sub(entry, HOLD_REST) + 0, since = sub(entry, HOLD_SINCE) + 0,
            token = sub(entry, HOLD_TOKEN) + 0, lease = sub(entry, HOLD_LEASE),
            order = sub(entry, HOLD_ORDER), terms = sub(entry, HOLD_TERMS)}
end

local function find(S, owner)
    if S.hold then return S.hold.owner == owner and S.hold or nil end
    if S.taken == 0 then return nil end
    local entry = call('HGET', S.h, owner)
    return entry and member(owner, entry) or nil
end

-- Writes back a hold that `find` or `grant` gave.
local function put(S, hold)
    S.changed, hold.old = true, nil
    if sub(hold.terms, TERMS_MODE) == MODE_EXCLUSIVE then
        S.hold = hold
        return
    end
    call('HSET', S.h, hold.owner,
         '+' .. format('%016d%016d%016d%016d', hold.deadline, hold.rest, hold.since, hold.token)
             .. (hold.lease or sub(hold.terms, TERMS_LEASE)) .. hold.order .. hold.terms)
    call('ZADD', S.d, format('%d', math.max(hold.deadline, hold.rest)), hold.owner)
end

local function remove(S, hold)
    S.changed = true
    if S.hold then
        S.hold = nil
        return
    end
    call('HDEL', S.h, hold.owner)
    call('ZREM', S.d, hold.owner)
    S.taken = math.max(S.taken - permits_of(hold.terms), 0)
end

local function drop_ended(S)
    if S.hold then
        --#grace if S.grace and S.hold.deadline > 0 then return end -- its renewal may be lost
        if math.max(S.hold.deadline, S.hold.rest) <= S.now then
            if S.hold.deadline > 0 then S.expired = S.hold.owner end -- not released
            remove(S, S.hold)
        end
        return
    end
    if S.taken == 0 then return end
    if S.stepped_back then
        local entries = call('HGETALL', S.h)
        for i = 1, #entries, 2 do
            local hold = member(entries[i], entries[i + 1])
            if clamp(S, hold) then put(S, hold) end
        end
        S.stepped_back = false
    end
    local ended = call('ZRANGEBYSCORE', S.d, '-inf', format('%d', S.now), 'LIMIT', 0, 500)
    -- Whoever is removed is not counted any more, and a waiter may be granted what is free then.
    if ended[1] then (S.queue and need_rights or need_rights_to_count)(S) end
    for _, owner in ipairs(ended) do
        local entry = call('HGET', S.h, owner)
        if entry then
            remove(S, member(owner, entry))
        else
            call('ZREM', S.d, owner)
        end
    end
    if call('ZCARD', S.d) == 0 then
        S.taken, S.changed = 0, true
    end
end

-- The limit that resize.lua has set, its generation, and the owner of that request; nil: none was.
local function known_limit(S)
    local text = redis.pcall('GET', S.r)
    -- Whatever else the key holds is none; but who may not look does not know.
    if type(text) == 'table' and not string.find(text.err, 'WRONGTYPE', 1, true) then --\
        error(text) end
    if type(text) ~= 'string' or #text ~= LIMIT_SIZE then return nil end
    return tonumber(sub(text, LIMIT_VALUE)), tonumber(sub(text, LIMIT_GENERATION)),
        sub(text, LIMIT_OWNER)
end

local function is_used(S)
    return S.hold or S.taken > 0 or S.queue
end

-- The limit that counts for whoever asks for permits, or nil and what to answer. A limit that was
-- set counts for all, whatever limit they were made with; else all who use it must agree.
local function limit_for(S, terms)
    local known, own = known_limit(S), tonumber(sub(terms, TERMS_LIMIT))
    if known then
        call('PEXPIRE', S.r, LIMIT_MS)
    elseif is_used(S) and own ~= S.limit then
        return nil, {ANSWER_OTHER_LIMIT, S.limit}
    end
    local limit = known or own
    if permits_of(terms) > limit then return nil, {ANSWER_TOO_FEW, limit} end
    return limit
end

local function fits(S, terms)
    --#grace if S.grace then return false end
    if S.hold then return false end
    if S.taken == 0 then return true end
    local mode = sub(terms, TERMS_MODE)
    if mode == MODE_EXCLUSIVE then return false end
    return mode == MODE_SHARED or S.taken + permits_of(terms) <= S.limit
end

-- Readers carry the last exclusive token, so that they do not refuse one another in a store. Nil:
-- tokens are used up.
local function token_for(S, terms)
    if sub(terms, TERMS_MODE) == MODE_SHARED and S.high > 0 then return S.high end
    return new_token(S.key, S.now, S.high)
end

-- `lease` is in ms, 8 digits.
local function grant(S, owner, terms, lease, token, not_after)
    S.expired = nil
    S.high, S.kind = token, sub(terms, TERMS_KIND)
    if S.kind ~= KIND_SEMAPHORE then S.limit = 1 end -- that of a semaphore is known by now
    if sub(terms, TERMS_MODE) ~= MODE_EXCLUSIVE then S.taken = S.taken + permits_of(terms) end
    local rest = sub(terms, TERMS_MIN_HOLD) * 1000
    if rest > 0 then rest = S.now + rest end
    local hold = {owner = owner, deadline = S.now + lease * 1000, lease = lease, order = NO_ORDER,
                  since = S.now, token = token, rest = rest, terms = terms, not_after = not_after}
    put(S, hold)
    return hold
end
