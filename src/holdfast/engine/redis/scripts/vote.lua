-- Whether this server, as a node of a quorum, may vote: nil, or what to answer. No script by
-- itself.
--
-- A proposed token neither reads nor raises the mark, which the other nodes do not have. Without a
-- record (`high` is 0) the clock shows that it is above all earlier tokens: a record outlives its
-- tokens by a minute. One that is far ahead would keep all honest proposals away for as long.
local function reject_proposal(now, high, proposed)
    if proposed > math.max(now, high) + PROPOSAL_US then return {ANSWER_TOO_HIGH, now} end
    local highest = high > 0 and high or now - PROPOSAL_US
    -- Without a record the clock is named: a little above `highest` would be too low on arrival.
    if proposed <= highest then return {ANSWER_BUSY, high > 0 and high or now} end
end

-- A server that has lost its data has another node id, or none. It must not vote before every lease
-- that it has forgotten has ended.
local function reject_node(key, now, id)
    local node = redis.call('GET', string.match(key, '^[^{]*') .. 'node')
    if not node or string.sub(node, NODE_ID) ~= id
            or string.sub(node, NODE_VOTES_FROM) - now > 0 then
        return {ANSWER_NOT_JOINED, 0}
    end
end
