-- Who has permits of a semaphore, as the answer of redisson_inspect.lua. No script by itself.
local function report_permits(key)
    local free, now, holders, places = tonumber(redis.call('GET', key)), now_ms(), {}, {}
    local all = redis.call('ZRANGE', permits_key(key), 0, -1, 'WITHSCORES')
    for i = 1, #all, 2 do
        local owner = string.match(all[i], '^(%x+%-[%x%-]+:%d+):%d+$') or
            string.gsub(all[i], '.', function(c) return string.format('%02x', c:byte()) end)
        local left = tonumber(all[i + 1]) - now
        if left > 0 and places[owner] then
            holders[places[owner]][3] = holders[places[owner]][3] + 1
        elseif left > 0 then
            -- Redisson's permits without a lease end in 31,000 years.
            if left > 4000000000000 then left = -1 end
            holders[#holders + 1] = {owner, left, 1, '0', MODE_PERMITS}
            places[owner] = #holders
        end
    end
    return {0, '0', KIND_SEMAPHORE, free + #all / 2, holders, {}}
end
