#!lua
-- Makes this server a node of a quorum, or says which node it is.
--
-- KEYS  the node
-- ARGV  1 an id for it (16 hexadecimal digits), 2 the max_lease of the quorum in ms (8 digits), 3
--       after how many us a server has no lease left that it has forgotten, 4 if it is no node yet:
--       'f' it has forgotten nothing and may vote at once, 'w' it may vote after that time, 'n' it
--       stays none
-- Answer  {its id, its max_lease in ms, in how many us it may vote}; {'', 0, 0}: there is none
--
-- Atomic because of several clients that join at once one makes the node, and all get the same id.
-- The key never expires: without it the server has lost its data, and with that the votes that it
-- has given. It waits until they have all ended before it votes again.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local node = redis.call('GET', KEYS[1])
local function write(id, wait)
    node = id .. ARGV[2] .. string.format('%016d', now + wait)
    redis.call('SET', KEYS[1], node)
end
if not node then
    if ARGV[4] == 'n' then return {'', 0, 0} end
    write(ARGV[1], ARGV[4] == 'f' and 0 or ARGV[3])
end
if #node ~= NODE_SIZE then return {err = 'HFFOREIGN the key of the node holds something else'} end
local id, max_lease = string.sub(node, NODE_ID), string.sub(node, NODE_MAX_LEASE)
local wait = string.sub(node, NODE_VOTES_FROM) - now
if wait > ARGV[3] + 0 and max_lease == ARGV[2] then -- the clock was stepped back
    wait = ARGV[3] + 0
    write(id, wait)
end
return {id, max_lease + 0, math.max(wait, 0)}
