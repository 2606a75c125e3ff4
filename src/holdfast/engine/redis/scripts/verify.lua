#!lua flags=allow-oom
-- Says which incarnation this server's data has: a restart, a promotion and lost data make another.
--
-- KEYS  the run
-- ARGV  1 the max_lease of the fleet in ms (8 digits); 2 how long the grace period is in us; 3 an
--       incarnation that this client has found claimed, and that enough replicas follow by now, or
--       ''
-- Answer  {incarnation, 0 claimed or 1 known, max_lease in ms, in how many us the grace period
--       ends}
--
-- The server's own replication id identifies the incarnation, and the script reads it: if a
-- client's word were written down, one that is late would begin the grace period again and again.
-- Atomic, so that of several clients one begins it. Allowed when the server is out of memory: a
-- holder must not lose its lock by that.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local id = string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)')
id = string.sub(id or '', 1, 16)
if #id ~= 16 then return {err = 'HFFOREIGN INFO has no master_replid'} end
local run = redis.call('GET', KEYS[1])
if run and #run ~= RUN_SIZE then
    return {err = 'HFFOREIGN the key of the run holds something else'}
end
-- Also of an earlier incarnation: leases of that length may live.
if run and string.sub(run, RUN_MAX_LEASE) ~= ARGV[1] then
    return {id, 1, string.sub(run, RUN_MAX_LEASE) + 0, 0}
end

local function write(state, wait)
    run = id .. state .. ARGV[1] .. string.format('%016d', now + wait)
    redis.call('SET', KEYS[1], run)
end

if not run or string.sub(run, RUN_ID) ~= id then write(RUN_CLAIMED, 0) end
if string.sub(run, RUN_STATE) == RUN_CLAIMED and ARGV[3] == id then write(RUN_KNOWN, ARGV[2]) end
local left = math.max(string.sub(run, RUN_UNTIL) - now, 0)
if left > ARGV[2] + 0 then -- the clock was stepped back
    left = ARGV[2] + 0
    write(string.sub(run, RUN_STATE), left)
end
return {id, string.sub(run, RUN_STATE) == RUN_KNOWN and 1 or 0, ARGV[1] + 0, left}
