#!lua flags=allow-oom
-- Gives up a hold, and hands it to the first waiter in the same step. See state.lua.
--
-- KEYS  the record
-- ARGV  '0000000000000000' (no min_hold, as the record has it) and the owner
-- Answer  0 not held, 1 released, 2 handed off
--
-- Atomic because between a release and the grant to the first in the queue nobody may slip in.
-- Allowed when the server is out of memory: it frees.
local rec = redis.call('GET', KEYS[1])
local mine = rec and string.sub(rec, 102, 165) == ARGV[1]
local tag = rec and string.sub(rec, 1, 4)

-- Alone, with nobody waiting: it is marked as idle and stays as it is. Whether it had run out does
-- not matter here, since nobody has taken it.
if mine and tag == 'hf1x' then
    redis.call('SETRANGE', KEYS[1], '3', 'i')
    return 1
end

local owner = string.sub(ARGV[1], 17)
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

-- Alone, with a crowd waiting: the usual hand-off. Whatever is unusual is left to the rule.
if mine and tag == 'hf1q' and string.sub(rec, 21, 36) - now > 0 then
    local call, sub, key = redis.call, string.sub, KEYS[1]
    local q, w = key .. ':q', key .. ':w'
    local first = call('ZRANGE', q, '0', '1')
    local entry = first[1] and call('HGET', w, first[1])
    if entry and sub(entry, 1, 16) - now > 0 and sub(entry, 34, 34) == 'x'
            and sub(entry, 54, 65) == '00000000000g' then
        local who, token = first[1], now
        local high = sub(rec, 5, 20) + 0
        if high >= now then token = high + 1 end
        local text = string.format('%016d', token)
        local inbox = sub(key, 1, string.find(key, '{', 1, true) - 1) .. 'inbox:' .. sub(who, 1, 32)
        if token < 9007199254740992 then
            local lease = math.min(2000000, sub(entry, 46, 53) * 1000)
            -- It is told last of what P1 depends on: a user whose rights do not suffice is refused
            -- in the middle.
            local granted = (first[2] and 'hf1q' or 'hf1x') .. text
                .. string.format('%016d', now + lease) .. owner
                .. 'h00000000000000000000000000000000' .. who .. sub(entry, 33)
            if high < now and now - high < now % 3600000000 then
                call('SET', key, granted, 'KEEPTTL')
            else
                call('SET', key, granted, 'PX', '176400000')
            end
            if call('PUBLISH', inbox, 'g' .. sub(who, 33) .. text) > 0 then
                call('ZREM', q, who)
                if first[2] then call('HDEL', w, who) else call('DEL', w) end
                if high > now or now - high > now % 500000 then -- see QUEUE_MS
                    call('PEXPIRE', q, '3000')
                    call('PEXPIRE', w, '3000')
                end
                return 2
            end
            call('SET', key, rec, 'KEEPTTL') -- nobody hears it: as it was
        end
    end
end
-- The state of one name and the admission rule, for the scripts' slow paths. No script by itself.
--
-- Keys of a name, all with the same hash tag:
--   <key>     STRING, the record: what the uncontended path reads and writes, and nothing else
--   <key>:q   ZSET, who waits: owner by serial number
--   <key>:w   HASH, owner -> alive_until(16) since(16) terms; '#' -> the last serial number
--   <key>:h   HASH, holders other than an exclusive one: owner -> deadline(16) rest(16) since(16)
--             token(16) terms
--   <key>:d   ZSET, the same holders by the instant at which they end
--
-- The record, in columns. Instants are microseconds of the server's clock.
--   1-3 'hf1', the version; 4 tag; 5-20 highest token; 21-36 deadline; 37-84 owner of the last
--   release; 85 what became of it: r: released, h: handed off, - : none
--   tag x, q: held exclusively  86-101 not used; 102-117 rest_until; 118-165 owner; 166 terms
--   (q: and waited for)         a deadline of 0: released, but resting until rest_until (min_hold)
--   tag i, idle                 as x; what was the holder's is the last release's
--   tag m, n: other holders     86 kind; 87-91 limit; 92-96 readers or permits taken
--   (n: and waited for)
--
-- Terms, as the client wrote them: 1 kind m, s or p; 2 mode x, s or p; 3 d(etached) or -;
--   4-8 permits; 9-13 limit; 14-21 lease ms; 22-32 min_hold ms; 33 queueing h(int) or g(rant);
--   then pid LF host LF note.
local call, format, sub = redis.call, string.format, string.sub
local NOBODY, NEVER = string.rep('0', 48), '0000000000000000'
local HAND_OFF, PATIENCE = 2000000, 3000000
local MOST_SKIPS, MOST_WAITERS = 16, 10000
local TOKEN_END = 9007199254740992
-- How long a record outlives the last request that wrote it: a lease, at most a day, another day
-- for the highest token, and an hour. The same for all, so that the uncontended path need not
-- reckon. There only the first grant of an hour sets it: to set it each time would make a tenth of
-- the cost.
local MEMORY_MS = 176400000
-- How long a queue outlives the last who came or was served. Those who wait for less than a second
-- send no heartbeat, so the queue must not depend on these. To save two calls each time, on the
-- short ways it is only set by the first to be served in each half of a second, and by who comes in
-- one in which nobody was served yet: whoever comes has 2.5 s for its first heartbeat.
local QUEUE_MS = 3000

local function foreign(what)
    return {err = 'HFFOREIGN ' .. what}
end

-- The state, or nil and an error.
local function load(key, now)
    local S = {key = key, now = now, high = 0, last = NOBODY .. '-', taken = 0, queue = false,
               changed = false, q = key .. ':q', w = key .. ':w', h = key .. ':h', d = key .. ':d'}
    local rec = call('GET', key)
    if not rec then return S end
    local tag = sub(rec, 4, 4)
    if sub(rec, 1, 3) ~= 'hf1' or #rec < 85 or not string.find('ixqmn', tag, 1, true) then
        if string.find(rec, '^hf%d') then
            return nil, {err = 'HFVERSION the key was written by another version of Holdfast'}
        end
        return nil, foreign('the key holds a string that is not a lock of this layout')
    end
    S.high, S.last = tonumber(sub(rec, 5, 20)), sub(rec, 37, 85)
    if tag == 'i' then
        S.last = sub(rec, 118, 165)
        S.last = S.last .. (S.last == NOBODY and '-' or 'r')
    elseif tag == 'x' or tag == 'q' then
        S.hold = {deadline = tonumber(sub(rec, 21, 36)), rest = tonumber(sub(rec, 102, 117)),
                  since = S.high, token = S.high, owner = sub(rec, 118, 165),
                  terms = sub(rec, 166)}
        S.kind, S.queue = sub(S.hold.terms, 1, 1), tag == 'q'
    else
        S.kind, S.limit = sub(rec, 86, 86), tonumber(sub(rec, 87, 91))
        S.taken, S.queue = tonumber(sub(rec, 92, 96)), tag == 'n'
    end
    return S
end

local function save(S)
    if not S.changed then return end
    local rec, left = nil, 0
    if S.hold then
        local one = S.hold
        left = math.max(one.rest - S.now, 0)
        rec = format('hf1%s%016d%016d', S.queue and 'q' or 'x', S.high, one.deadline) .. S.last
            .. NEVER .. format('%016d', one.rest) .. one.owner .. one.terms
    elseif S.taken > 0 or S.queue then
        local last = call('ZRANGE', S.d, -1, -1, 'WITHSCORES')
        rec = format('hf1%s%016d', S.queue and 'n' or 'm', S.high) .. NEVER .. S.last
            .. format('%s%05d%05d', S.kind, S.limit or 1, S.taken)
        if last[2] then
            left = math.max(last[2] - S.now, 0)
            call('PEXPIRE', S.h, format('%d', math.ceil(left / 1000) + 1000))
            call('PEXPIRE', S.d, format('%d', math.ceil(left / 1000) + 1000))
        end
    else
        rec = format('hf1i%016d', S.high) .. NEVER .. S.last .. NEVER .. NEVER .. sub(S.last, 1, 48)
    end
    call('SET', S.key, rec, 'PX', format('%d', math.ceil(left / 1000) + MEMORY_MS))
end

local function permits_of(terms)
    return sub(terms, 2, 2) == 'p' and tonumber(sub(terms, 4, 8)) or 1
end

-- A holder other than an exclusive one, from its entry.
local function member(owner, entry)
    return {owner = owner, deadline = tonumber(sub(entry, 1, 16)),
            rest = tonumber(sub(entry, 17, 32)), since = tonumber(sub(entry, 33, 48)),
            token = tonumber(sub(entry, 49, 64)), terms = sub(entry, 65)}
end

local function find(S, owner)
    if S.hold then return S.hold.owner == owner and S.hold or nil end
    if S.taken == 0 then return nil end
    local entry = call('HGET', S.h, owner)
    return entry and member(owner, entry) or nil
end

-- Writes back a hold that `find` or `grant` gave.
local function put(S, one)
    S.changed = true
    if sub(one.terms, 2, 2) == 'x' then
        S.hold = one
        return
    end
    call('HSET', S.h, one.owner, format('%016d%016d%016d%016d', one.deadline, one.rest, one.since,
                                        one.token) .. one.terms)
    call('ZADD', S.d, format('%d', math.max(one.deadline, one.rest)), one.owner)
end

local function remove(S, one)
    S.changed = true
    if S.hold then
        S.hold = nil
        return
    end
    call('HDEL', S.h, one.owner)
    call('ZREM', S.d, one.owner)
    S.taken = math.max(S.taken - permits_of(one.terms), 0)
end

local function drop_ended(S)
    if S.hold then
        if math.max(S.hold.deadline, S.hold.rest) <= S.now then remove(S, S.hold) end
        return
    end
    if S.taken == 0 then return end
    local ended = call('ZRANGEBYSCORE', S.d, '-inf', format('%d', S.now), 'LIMIT', 0, 500)
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

local function fits(S, terms)
    if S.hold then return false end
    if S.taken == 0 then return true end
    local mode = sub(terms, 2, 2)
    if mode == 'x' then return false end
    return mode == 's' or S.taken + permits_of(terms) <= S.limit
end

local function next_token(S)
    return math.max(S.high + 1, S.now)
end

-- Readers carry the last exclusive token, so that they do not refuse one another in a store.
local function grant(S, owner, terms, lease, proposed)
    local token = S.high
    if sub(terms, 2, 2) ~= 's' or token == 0 then token = proposed or next_token(S) end
    S.high, S.kind, S.limit = token, sub(terms, 1, 1), tonumber(sub(terms, 9, 13))
    if sub(terms, 2, 2) ~= 'x' then S.taken = S.taken + permits_of(terms) end
    local rest = tonumber(sub(terms, 22, 32)) * 1000
    if rest > 0 then rest = S.now + rest end
    local one = {owner = owner, deadline = S.now + lease, since = S.now, token = token,
                 rest = rest, terms = terms}
    put(S, one)
    return one
end

-- The prefix of the key is that of the inboxes: it has no brace in it.
local function inbox(S, owner)
    return sub(S.key, 1, string.find(S.key, '{', 1, true) - 1) .. 'inbox:' .. sub(owner, 1, 32)
end

-- Raises an error if this user may not write what a grant needs. A script that is refused in the
-- middle has done half of its work: nobody may have been told of a grant that is not written down.
local function need_rights(S)
    local key = S.key
    for _, command in ipairs({{'SET', key, ''}, {'DEL', S.w}, {'PEXPIRE', S.q, '1'},
                              {'HSET', S.h, '', ''}, {'HDEL', S.w, ''}, {'ZADD', S.d, '1', ''},
                              {'ZREM', S.q, ''}, {'ZRANGE', S.d, '0', '0'}}) do
        if not redis.acl_check_cmd(unpack(command)) then
            error({err = 'NOPERM this user has no permissions to run ' .. command[1]})
        end
    end
    S.may = true
end

-- Grants whoever is first and fits. `asker` hears of it by the answer; the others by a push. If
-- nobody hears the push (0) its waiter is passed over, and keeps its place until it is heard of
-- again. Says how many were granted.
local function grant_heads(S, asker)
    local granted, skips = 0, 0
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
        local gone = not entry or tonumber(sub(entry, 1, 16)) <= S.now
        if not gone then
            local terms = sub(entry, 33)
            if not fits(S, terms) or next_token(S) >= TOKEN_END then break end
            local hint = sub(terms, 33, 33) == 'h'
            local message = hint and 'm' .. sub(who, 33)
                or 'g' .. sub(who, 33) .. format('%016d', next_token(S))
            if sub(terms, 2, 2) == 's' and S.high > 0 and not hint then
                message = 'g' .. sub(who, 33) .. format('%016d', S.high)
            end
            if not S.may then need_rights(S) end
            if who ~= asker and call('PUBLISH', inbox(S, who), message) == 0 then
                skips = skips + 1
                if skips >= MOST_SKIPS then break end
            else
                gone = true
                if not hint then
                    grant(S, who, terms, math.min(HAND_OFF, tonumber(sub(terms, 14, 21)) * 1000))
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
local function place(S, owner)
    local ahead = call('ZRANK', S.q, owner) or 0
    if ahead >= 4 then return {1, ahead, 0} end
    local ends = 0
    if S.hold then
        ends = math.max(S.hold.deadline, S.hold.rest)
    elseif S.taken > 0 then
        ends = tonumber(call('ZRANGE', S.d, 0, 0, 'WITHSCORES')[2] or 0)
    end
    return {1, ahead, math.max(ends - S.now, 0)}
end

-- Keeps a waiter in the queue; false if it is not there.
local function touch(S, owner)
    local entry = S.queue and call('HGET', S.w, owner)
    if not entry then return false end
    call('HSET', S.w, owner, format('%016d', S.now + PATIENCE) .. sub(entry, 17))
    call('PEXPIRE', S.q, PATIENCE / 1000)
    call('PEXPIRE', S.w, PATIENCE / 1000)
    return true
end

local function drop_dead_waiters(S)
    if not S.queue then return end
    local all, dead = call('HGETALL', S.w), 0
    for i = 1, #all, 2 do
        if all[i] ~= '#' and tonumber(sub(all[i + 1], 1, 16)) <= S.now then
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

local function remember(S, owner, outcome)
    S.last, S.changed = owner .. outcome, true
end

local S, wrong = load(KEYS[1], now)
if not S then return wrong end
drop_ended(S)
local held = find(S, owner)
local answer = 0
if held and held.deadline > now then
    local rests = held.rest > now
    if rests then
        held.deadline = 0
        put(S, held)
    else
        remove(S, held)
    end
    answer = grant_heads(S) > 0 and not rests and 2 or 1
    remember(S, owner, answer == 2 and 'h' or 'r')
else
    grant_heads(S)
    if held and held.deadline == 0 then answer = 1 end
    if sub(S.last, 1, 48) == owner then
        local outcome = sub(S.last, 49)
        answer = outcome == 'h' and 2 or outcome == 'r' and 1 or answer
    end
end
save(S)
return answer
