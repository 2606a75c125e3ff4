-- Tells a holder that its lock was taken away, if it looks like one of ours: <uuid>:<number>.
local function tell_broken(owner, inboxes)
    local uuid, number = string.match(owner, '^(%x+%-%x+%-%x+%-%x+%-%x+):(%d+)$')
    if not uuid then return end
    local inbox = inboxes .. string.gsub(uuid, '%-', '')
    redis.call('PUBLISH', inbox, string.format('b%016x', tonumber(number)))
end
