#!lua
-- Makes this server a node of a quorum, or says which node it is.
--
-- KEYS  the node
-- ARGV  1 an id for it (16 hexadecimal digits), 2 the max_lease of the quorum in ms (8 digits), 3
--       after how many us a server has no lease left that it has forgotten, 4 if it is no node yet:
--       'n' it may vote now, because the whole quorum is new, 'w' it may vote after that time, 'l'
--       it stays none; 5 the server's run id (16 digits); 6 until when 'n' counts: later it may
--       have been a node meanwhile, and is treated as with 'w'
-- Answer  {its id, its max_lease in ms, in how many us it may vote, 1}; without an id: there is
--       none, and the last number says whether there is a key, of before a restart
--
-- Atomic because of several clients that join at once one makes the node, and all get the same id.
-- The key never expires: without it the server has lost its data, and with that the votes that it
-- has given. It waits until they have all ended before it votes again. Likewise after a restart,
-- since what a server reads from its disk may be old. The run id is what INFO has said on the same
-- connection, which a restart would have ended.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local node = redis.call('GET', KEYS[1])
if node and #node ~= NODE_SIZE then
    return {err = 'HFFOREIGN the key of the node holds something else'}
end
local function write(id, wait)
    node = id .. ARGV[2] .. string.format('%016d', now + wait) .. ARGV[5]
    redis.call('SET', KEYS[1], node)
end
if node and string.sub(node, NODE_MAX_LEASE) ~= ARGV[2] then -- leases of that length may live
    return {string.sub(node, NODE_ID), string.sub(node, NODE_MAX_LEASE) + 0, 0, 1}
end
if not node or string.sub(node, NODE_RUN) ~= ARGV[5] then
    if ARGV[4] == 'l' then return {'', 0, 0, node and 1 or 0} end
    local is_new = ARGV[4] == 'n' and now <= ARGV[6] + 0 and not node
    write(ARGV[1], is_new and 0 or ARGV[3])
end
local id, max_lease = string.sub(node, NODE_ID), string.sub(node, NODE_MAX_LEASE)
local wait = string.sub(node, NODE_VOTES_FROM) - now
if wait > ARGV[3] + 0 then -- the clock was stepped back
    wait = ARGV[3] + 0
    write(id, wait)
end
return {id, max_lease + 0, math.max(wait, 0), 1}
