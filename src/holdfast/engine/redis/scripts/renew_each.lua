-- For the layouts that others share: says what renew(key, owner, lease) says of each item. No
-- script by itself. The error of one item is only its own.
--#cluster for i = #ARGV / 3 * 2 + 1, #KEYS == 0 and #ARGV or 0 do KEYS[#KEYS + 1] = ARGV[i] end
local answers = {}
for i = 1, #KEYS do
    local done, said = pcall(renew, KEYS[i], ARGV[2 * i - 1], ARGV[2 * i])
    if not done then said = '-' .. (type(said) == 'table' and said.err or tostring(said)) end
    answers[i] = said
end
return answers
