-- A name's record, read and written. No script by itself.
--
-- Records of the version before, hf1, are understood, and written anew as hf2 when their holder
-- changes. A lone holder of that version keeps its record, or it could not renew or release it;
-- only the tag changes when somebody waits.

-- How long a record of each tag is at least.
local LEAST_SIZE = {i = 201, x = LEAST_EXCLUSIVE, q = LEAST_EXCLUSIVE, m = 148, n = 148,
                    I = 201, X = LEAST_EXCLUSIVE, Q = LEAST_EXCLUSIVE, M = 148, N = 148}
local LEAST_SIZE_HF1 = {i = 165, x = 198, q = 198, m = 96, n = 96}

-- A deadline that is further ahead than the lease proves that the clock was stepped back; likewise
-- a rest. Cut to what they can be at most, or a dead holder would hold for as long as the step.
local function clamp(S, hold)
    local rest = S.now + sub(hold.terms, TERMS_MIN_HOLD) * 1000
    local latest = hold.lease and S.now + hold.lease * 1000 or hold.deadline
    if hold.deadline <= latest and hold.rest <= rest then return false end
    hold.deadline, hold.rest = math.min(hold.deadline, latest), math.min(hold.rest, rest)
    S.changed = true
    return true
end

-- The parts of a record that differ between the versions.
local function exclusive_hold(S, rec, version)
    if version == 'hf1' then
        return {old = true, deadline = sub(rec, 21, 36) + 0, order = NO_ORDER,
                rest = sub(rec, 102, 117) + 0, since = S.high, token = S.high,
                owner = sub(rec, 118, 165), terms = sub(rec, 166), not_after = 0}
    end
    return {deadline = sub(rec, REC_DEADLINE) + 0, lease = sub(rec, REC_LEASE),
            order = sub(rec, REC_ORDER), rest = sub(rec, REC_REST) + 0, since = S.high,
            token = S.high, owner = sub(rec, REC_OWNER), terms = sub(rec, REC_TERMS),
            not_after = sub(rec, REC_NOT_AFTER) + 0}
end

local function many_holders(S, rec, version)
    if version == 'hf1' then
        S.kind, S.limit, S.taken = sub(rec, 86, 86), sub(rec, 87, 91) + 0, sub(rec, 92, 96) + 0
        return
    end
    S.kind, S.limit = sub(rec, REC_KIND), sub(rec, REC_LIMIT) + 0
    S.taken, S.stepped_back = sub(rec, REC_TAKEN) + 0, S.now < sub(rec, REC_SEEN) + 0
end

-- The state, or nil and an error.
local function load(key, now)
    local S = {key = key, now = now, high = 0, last = NO_OWNER .. '-', taken = 0, queue = false,
               changed = false, q = key .. ':q', w = key .. ':w', h = key .. ':h', d = key .. ':d',
               t = key .. ':t', l = key .. ':l', r = key .. ':r'}
    local rec = call('GET', key)
    --#cluster if is_moving(key) then return nil, TRY_AGAIN end
    if not rec then return S end
    local version, tag = sub(rec, REC_VERSION), sub(rec, REC_TAG)
    local sizes = version == 'hf2' and LEAST_SIZE or version == 'hf1' and LEAST_SIZE_HF1 or {}
    local least = sizes[tag]
    if not least or #rec < least or not tonumber(sub(rec, REC_TOKEN)) then
        if string.find(rec, '^hf%d') then
            return nil, {err = 'HFVERSION the key was written by another version of Holdfast'}
        end
        return nil, foreign('the key holds a string that is not a lock of this layout')
    end
    S.high = sub(rec, REC_TOKEN) + 0
    S.last = version == 'hf1' and sub(rec, 37, 85) or sub(rec, REC_LAST)
    local says_so = tag ~= string.lower(tag) -- a record of hf1 cannot
    if says_so or version == 'hf1' then
        tag, S.late = string.lower(tag), call('EXISTS', S.t) == 1
        S.changed = says_so and not S.late
    end
    S.queue = tag == 'q' or tag == 'n'
    S.listens = S.queue and call('EXISTS', S.l) == 1
    if tag == 'i' then
        local owner = version == 'hf1' and sub(rec, 118, 165) or sub(rec, REC_OWNER)
        S.last = owner .. (owner == NO_OWNER and '-' or 'r')
        if version == 'hf2' and sub(rec, REC_OUTCOME) == 'e' then
            S.expired = sub(rec, REC_LAST_OWNER)
        end
    elseif tag == 'x' or tag == 'q' then
        S.hold = exclusive_hold(S, rec, version)
        S.kind = sub(S.hold.terms, TERMS_KIND)
        clamp(S, S.hold)
    else
        many_holders(S, rec, version)
    end
    return S
end

-- The record as it is to be written, and the latest instant that it must outlive by a minute.
local function text_of(S)
    local function tagged(tag)
        return 'hf2' .. (S.late and string.upper(tag) or tag) .. format('%016d', S.high)
    end
    if S.hold then
        local hold = S.hold
        return tagged((S.queue or S.listens) and 'q' or 'x') .. format('%016d', hold.deadline)
                .. (hold.lease or sub(hold.terms, TERMS_LEASE)) .. hold.order .. KEPT_INCARNATION
                .. S.last .. format('%016d%016d', hold.not_after, hold.rest) .. hold.owner
                .. hold.terms,
            math.max(hold.deadline, hold.rest)
    end
    local nothing = NO_INSTANT .. '00000000' .. NO_ORDER .. KEPT_INCARNATION
    if S.taken > 0 or S.queue then
        local last = call('ZRANGE', S.d, -1, -1, 'WITHSCORES')
        return tagged((S.queue or S.listens) and 'n' or 'm') .. nothing .. S.last
                .. format('%s%05d%05d%016d', S.kind, S.limit or 1, S.taken, S.now),
            tonumber(last[2] or 0)
    end
    return tagged('i') .. nothing .. (S.expired and S.expired .. 'e' or S.last) .. NO_INSTANT
            .. NO_INSTANT .. sub(S.last, 1, 48),
        0
end

local function save(S)
    if not S.changed then return end
    if S.hold and S.hold.old then
        call('SETRANGE', S.key, REC_TAG_AT, (S.queue or S.listens) and 'q' or 'x')
        return
    end
    local rec, latest = text_of(S)
    local left = math.ceil((math.max(latest, S.high) - S.now) / 1000)
    if S.late then left = math.max(left, call('PTTL', S.t)) end
    if S.taken > 0 and not S.hold then
        call('PEXPIRE', S.h, format('%d', math.max(left, 0) + MEMORY_MS))
        call('PEXPIRE', S.d, format('%d', math.max(left, 0) + MEMORY_MS))
    end
    call('SET', S.key, rec, 'PX', format('%d', math.max(left + MEMORY_MS, IDLE_MS)))
end

-- Whether an acquire is one that was sent before another of the same owner, or before the owner
-- gave up or was broken, and that arrives only now.
local function comes_too_late(S, owner, not_after)
    local until_then = tonumber(S.late and call('ZSCORE', S.t, owner) or 0)
    -- Further ahead than this: the clock was stepped back, by so much that what was sent before the
    -- step is refused for its not-after alone.
    return not_after <= until_then and until_then <= S.now + 2 * LONGEST_NOT_AFTER_US
end

-- From now on acquires of this owner up to this not-after come too late. They are remembered for as
-- long as they could count. Only raises it: this may be said by a request that comes late itself.
local function refuse_late(S, owner, not_after)
    not_after = tonumber(not_after or 0)
    if not_after <= S.now or comes_too_late(S, owner, not_after) then return end
    local life = math.ceil(math.min(not_after - S.now, LONGEST_NOT_AFTER_US) / 1000) + 1000
    call('ZREMRANGEBYSCORE', S.t, '-inf', format('%d', S.now))
    call('ZADD', S.t, format('%d', not_after), owner)
    if call('PTTL', S.t) < life then call('PEXPIRE', S.t, format('%d', life)) end
    S.late, S.changed = true, true
end

-- From now on this owner neither gets the hold again that was broken, nor makes it again. Acquires
-- are refused as late ones as well, for clients of versions that do not know of 'b'.
local function remember_broken(S, owner)
    refuse_late(S, owner, S.now + LONGEST_NOT_AFTER_US)
    call('ZADD', S.t, format('%d', S.now + LONGEST_NOT_AFTER_US), 'b' .. owner)
end

local function is_broken(S, owner)
    local known_until = tonumber(S.late and call('ZSCORE', S.t, 'b' .. owner) or 0)
    return known_until > S.now and known_until <= S.now + 2 * LONGEST_NOT_AFTER_US
end

local function remember(S, owner, outcome)
    S.last, S.changed = owner .. outcome, true
end
