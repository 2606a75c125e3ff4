-- Whether a name's record is complete, for the scripts of clients with max_lease. No script by
-- itself: only the grace variants include it, and their last argument is the incarnation that the
-- client knows.
--
-- A server that was restarted, promoted or emptied may lack grants that still count. Its data has
-- another incarnation (verify.lua). Until the grace period is over, no record is believed that was
-- not written in this incarnation: nothing is granted, but holders make theirs again.
local ID = table.remove(ARGV)

-- For how many us nothing may be granted; nil: the client must verify its incarnation first.
local function grace_left(rec, key, now)
    if rec and string.sub(rec, REC_INCARNATION) == ID then return 0 end
    local run = redis.call('GET', string.match(key, '^[^{]*') .. 'run')
    if not run or string.sub(run, RUN_ID) ~= ID or string.sub(run, RUN_STATE) ~= RUN_KNOWN then
        return nil
    end
    local left = math.max(string.sub(run, RUN_UNTIL) - now, 0)
    -- Further ahead than it can be: the clock was stepped back, and verify.lua corrects it.
    if left > string.sub(run, RUN_MAX_LEASE) * 1020 + 1000000 then return nil end
    return left
end

-- Of a state that was just loaded: S.grace is for how long nothing may be granted, or nil.
local function note_grace(S, left)
    S.grace = left > 0 and left or nil
    S.incarnation = S.grace and UNCERTAIN or ID
end
