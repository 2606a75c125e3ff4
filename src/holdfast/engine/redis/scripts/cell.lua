#!lua
-- Reads or changes a cell: a named small value beside the locks, which others watch. The same rule
-- as admission::cell_rule. See fields.lua.
--
-- KEYS  the cell: a HASH
-- ARGV  action, watcher (or ''), not-after in us (or 0), how long to keep it in ms; then
--       CELL_WRITE: token, order, condition, value
--       CELL_ERASE: token, order, condition, birth of the cell that it means if the token is 0;
--       with birth 0, too, it only asks
--       CELL_ARRIVE: member, weight, expected, cyclic (1 or 0), birth, phase
-- Answer  {CELL_FOUND, birth, token, phase, arrived, expected, value, applied, counted_in}; or
--       {ANSWER_LATE, now}, {ANSWER_OTHER_LIMIT, expected}
--
-- The whole cell is one key, so it is in one slot and expires as a whole. Fields: b birth; t token
-- and o order of the last write, which stay for CELL_MEMORY_MS when it is erased, so that no older
-- write of that token makes it again; v value; p phase; a arrived, n expected; c how many watch.
-- With a member or owner behind the letter: m arrived in this phase, l in the one before, w watches
-- until.
local key, action, watcher = KEYS[1], ARGV[1], ARGV[2]
local call, sub = redis.call, string.sub
local time = call('TIME')
local now = time[1] * 1000000 + time[2]
local not_after = tonumber(ARGV[3])
if not_after > 0 and now > not_after then return {ANSWER_LATE, now} end
local type = call('TYPE', key).ok
if type ~= 'none' and type ~= 'hash' then
    return {err = 'HFFOREIGN the key of the cell holds something else'}
end

local function number(field) return tonumber(call('HGET', key, field) or 0) end
local function set(field, value) call('HSET', key, field, string.format('%d', value)) end
local birth, token, phase = number('b'), number('t'), number('p')
local arrived, expected = number('a'), number('n')
local applied, counted_in = 0, 0

-- Tells all that watch, each client once, with the numbers of all that watch there.
local function notify()
    if number('c') == 0 then return end
    local inbox = sub(key, 1, string.find(key, '{', 1, true) - 6) .. 'inbox:'
    local all, messages, clients = call('HGETALL', key), {}, {}
    for i = 1, #all, 2 do
        if sub(all[i], 1, 1) == 'w' then
            local client = sub(all[i], 2, 33)
            if tonumber(all[i + 1]) > now then
                if not messages[client] then clients[#clients + 1] = client end
                messages[client] = (messages[client] or 'm') .. sub(all[i], 34)
            end
            call('HDEL', key, all[i])
        end
    end
    set('c', 0)
    for _, client in ipairs(clients) do call('PUBLISH', inbox .. client, messages[client]) end
end

-- Raises an error, before the first write, if this user lacks a right that a later one needs.
local function need_rights()
    local inbox = sub(key, 1, string.find(key, '{', 1, true) - 6) .. 'inbox:'
    for _, write in ipairs({{'HSET', key, 'a', '1'}, {'HDEL', key, 'a'}, {'DEL', key},
                            {'HINCRBY', key, 'c', '1'}, {'PEXPIRE', key, '1'},
                            {'PUBLISH', inbox, ''}}) do
        if not redis.acl_check_cmd(unpack(write)) then
            error({err = 'NOPERM this user has no permissions to run ' .. write[1]})
        end
    end
end

-- After each change: it expires from now on, and is there.
local function keep()
    if birth == 0 then
        birth = now
        set('b', birth)
    end
    call('PEXPIRE', key, ARGV[4])
end

local function change_value()
    local new, order, last = tonumber(ARGV[5]), tonumber(ARGV[6]), number('o')
    local exists = birth > 0
    if new < token or new == token and order < last then return end
    if action == CELL_ERASE then
        if new == 0 and tonumber(ARGV[8]) ~= birth then
            if ARGV[8] ~= '0' then applied = 1 end -- it was done before, or it only asks
            return
        end
        if exists and new ~= token then return end
        applied = 1
        if exists then
            notify()
            call('DEL', key)
        end
        if new > 0 then
            set('t', new)
            set('o', order)
            if call('PTTL', key) < tonumber(CELL_MEMORY_MS) then
                call('PEXPIRE', key, CELL_MEMORY_MS)
            end
        end
        birth, token, phase, arrived, expected = 0, 0, 0, 0, 0
        return
    end
    local own = exists and new == token
    if own and order == last then
        applied = 1 -- it was done before
        return
    end
    if ARGV[7] == CELL_IF_OWN and not own then return end
    if ARGV[7] == CELL_IF_EMPTY and (call('HGET', key, 'v') or '') ~= '' then return end
    token = new
    set('t', token)
    set('o', order)
    call('HSET', key, 'v', ARGV[8])
    keep()
    notify()
    applied = 1
end

local function complete_phase(cyclic)
    phase = phase + 1
    set('p', phase)
    if cyclic then
        arrived = 0
        set('a', 0)
        local all = call('HGETALL', key)
        for i = 1, #all, 2 do
            if sub(all[i], 1, 1) == 'l' then call('HDEL', key, all[i]) end
        end
        for i = 1, #all, 2 do
            if sub(all[i], 1, 1) == 'm' then
                call('HDEL', key, all[i])
                call('HSET', key, 'l' .. sub(all[i], 2), all[i + 1])
            end
        end
    end
    notify()
end

-- Whether a cyclic arrival counts in this phase. If not, its first request may have counted, in the
-- phase that has just ended.
local function is_in_phase()
    local of, at = tonumber(ARGV[9]), tonumber(ARGV[10])
    if birth == 0 then return of == 0 end
    if of == 0 and phase == 0 or of == birth and at == phase then return true end
    local just_before = of == 0 and phase == 1 or of == birth and at + 1 == phase
    if just_before and call('HGET', key, 'l' .. ARGV[5]) then
        applied, counted_in = 1, phase - 1
    end
    return false
end

local function arrive()
    local cyclic = ARGV[8] == '1'
    if cyclic and not is_in_phase() then return end
    applied, counted_in = 1, phase
    if not cyclic and phase > 0 or call('HGET', key, 'm' .. ARGV[5]) then return end
    expected = tonumber(ARGV[7])
    set('n', expected)
    call('HSET', key, 'm' .. ARGV[5], ARGV[6])
    arrived = math.min(expected, arrived + tonumber(ARGV[6]))
    set('a', arrived)
    keep()
    if arrived == expected then complete_phase(cyclic) end
end

local function watch()
    local until_us = string.format('%d', now + PATIENCE_US)
    if number('c') >= CELL_WATCHERS and not call('HGET', key, 'w' .. watcher) then
        local all, left = call('HGETALL', key), 0
        for i = 1, #all, 2 do
            if sub(all[i], 1, 1) == 'w' then
                if tonumber(all[i + 1]) > now then left = left + 1
                else call('HDEL', key, all[i]) end
            end
        end
        set('c', left)
        if left >= CELL_WATCHERS then return end
    end
    if call('HSET', key, 'w' .. watcher, until_us) == 1 then call('HINCRBY', key, 'c', '1') end
    if birth == 0 and call('PTTL', key) < tonumber(LISTENERS_MS) then
        call('PEXPIRE', key, LISTENERS_MS)
    end
end

if action ~= CELL_READ then need_rights() end
if action == CELL_ARRIVE then
    if birth > 0 and expected ~= tonumber(ARGV[7]) then return {ANSWER_OTHER_LIMIT, expected} end
    arrive()
elseif action ~= CELL_READ then
    change_value()
end
if watcher ~= '' then watch() end
if birth == 0 then token = 0 end
return {CELL_FOUND, birth, token, phase, arrived, expected, call('HGET', key, 'v') or '', applied,
        counted_in}
